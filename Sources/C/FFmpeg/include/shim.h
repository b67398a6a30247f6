// FFmpeg, loaded with dlopen on first use.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
