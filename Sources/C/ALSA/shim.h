// ALSA, and the audit: the only ALSA functions that the audio thread may call.
#include <alsa/asoundlib.h>

/* These take no lock of their own on a `hw` PCM, and none at all under LIBASOUND_THREAD_SAFE=0;
   none allocates. Swift refuses any other C call in the audio thread's code. */
#define AUDITED __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

AUDITED snd_pcm_state_t snd_pcm_state(snd_pcm_t *pcm);
AUDITED snd_pcm_sframes_t snd_pcm_avail(snd_pcm_t *pcm);
AUDITED int snd_pcm_mmap_begin(snd_pcm_t *pcm, const snd_pcm_channel_area_t **areas,
                               snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames);
AUDITED snd_pcm_sframes_t snd_pcm_mmap_commit(snd_pcm_t *pcm, snd_pcm_uframes_t offset,
                                              snd_pcm_uframes_t frames);
AUDITED snd_pcm_sframes_t snd_pcm_writei(snd_pcm_t *pcm, const void *buffer, snd_pcm_uframes_t size);
AUDITED snd_pcm_sframes_t snd_pcm_rewind(snd_pcm_t *pcm, snd_pcm_uframes_t frames);
AUDITED int snd_pcm_start(snd_pcm_t *pcm);
AUDITED int snd_pcm_drop(snd_pcm_t *pcm);
AUDITED int snd_pcm_prepare(snd_pcm_t *pcm);
AUDITED int snd_pcm_resume(snd_pcm_t *pcm);
AUDITED int snd_pcm_poll_descriptors_revents(snd_pcm_t *pcm, struct pollfd *pfds, unsigned int nfds,
                                             unsigned short *revents);

#undef AUDITED

static inline void calsa_ignore(const char *file, int line, const char *function, int err, const char *fmt, ...) {
  (void)file, (void)line, (void)function, (void)err, (void)fmt;
}

/// Keeps alsa-lib from writing to stderr; what fails is reported from its return value. snd_lib_error_set_handler.
static inline void calsa_quiet(void) { snd_lib_error_set_handler(calsa_ignore); }
