// FFmpeg, loaded with dlopen on first use: its libraries bring a hundred others with them.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#define CFFMPEG_CODEC_FUNCTIONS(_) \
  _(avcodec_find_decoder)          \
  _(avcodec_alloc_context3)        \
  _(avcodec_free_context)          \
  _(avcodec_parameters_to_context) \
  _(avcodec_open2)                 \
  _(avcodec_send_packet)           \
  _(avcodec_receive_frame)         \
  _(av_packet_alloc)               \
  _(av_packet_free)                \
  _(av_packet_unref)               \
  _(av_frame_alloc)                \
  _(av_frame_free)                 \
  _(av_frame_get_side_data)        \
  _(av_malloc)                     \
  _(av_mallocz)                    \
  _(av_freep)                      \
  _(av_dict_set)                   \
  _(av_dict_free)                  \
  _(av_channel_layout_default)     \
  _(av_channel_layout_channel_from_index) \
  _(av_log_set_level)

#define CFFMPEG_FORMAT_FUNCTIONS(_) \
  _(avformat_alloc_context)         \
  _(avformat_open_input)            \
  _(avformat_close_input)           \
  _(avformat_find_stream_info)      \
  _(avio_alloc_context)             \
  _(avio_context_free)              \
  _(avio_seek)                      \
  _(av_find_best_stream)            \
  _(av_read_frame)                  \
  _(av_seek_frame)

#define CFFMPEG_PICTURE_FUNCTIONS(_) \
  _(avcodec_find_decoder)           \
  _(avcodec_find_encoder)           \
  _(avcodec_alloc_context3)         \
  _(avcodec_free_context)           \
  _(avcodec_parameters_to_context)  \
  _(avcodec_open2)                  \
  _(avcodec_send_packet)            \
  _(avcodec_receive_frame)          \
  _(avcodec_send_frame)             \
  _(avcodec_receive_packet)         \
  _(av_packet_alloc)                \
  _(av_packet_free)                 \
  _(av_packet_unref)                \
  _(av_new_packet)                  \
  _(av_frame_alloc)                 \
  _(av_frame_free)                  \
  _(av_frame_get_buffer)            \
  _(av_pix_fmt_desc_get)            \
  _(av_dict_set)                    \
  _(av_dict_free)                   \
  _(av_log_set_level)

#define CFFMPEG_SCALE_FUNCTIONS(_) \
  _(sws_getContext)                \
  _(sws_scale_frame)               \
  _(sws_freeContext)

#define CFFMPEG_POINTER(name) __typeof__(name) *_Nonnull name;
/// The functions of libavcodec and libavutil.
struct cffmpeg_codec { CFFMPEG_CODEC_FUNCTIONS(CFFMPEG_POINTER) };
/// The functions of libavformat.
struct cffmpeg_format { CFFMPEG_FORMAT_FUNCTIONS(CFFMPEG_POINTER) };
/// The functions of libavcodec and libavutil that pictures need.
struct cffmpeg_picture { CFFMPEG_PICTURE_FUNCTIONS(CFFMPEG_POINTER) };
/// The functions of libswscale.
struct cffmpeg_scale { CFFMPEG_SCALE_FUNCTIONS(CFFMPEG_POINTER) };
#undef CFFMPEG_POINTER

/// Loads the library that the headers belong to; NULL if it is not installed. Call from one thread
/// at a time.
const struct cffmpeg_codec *_Nullable cffmpeg_load_codec(void);
const struct cffmpeg_format *_Nullable cffmpeg_load_format(void);
const struct cffmpeg_picture *_Nullable cffmpeg_load_picture(void);
const struct cffmpeg_scale *_Nullable cffmpeg_load_scale(void);

/// Macros that Swift does not import.
static const int cffmpeg_again = AVERROR(EAGAIN);
static const int cffmpeg_end = AVERROR_EOF;
static const int cffmpeg_failed = AVERROR(EIO);
static const int64_t cffmpeg_no_time = AV_NOPTS_VALUE;
static const int cffmpeg_best_quality = 2 * FF_QP2LAMBDA;
