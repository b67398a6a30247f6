// TagLib behind plain C.
#pragma once
