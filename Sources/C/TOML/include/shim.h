// toml++ behind plain C: a document's keys and values in their order, each with where it stands.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum ctoml_kind {
  CTOML_TABLE,
  CTOML_ARRAY,
  /// The end of the last table or array that has not ended.
  CTOML_END,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  /// A date, a time or both.
  CTOML_TIME,
};

/// Line and column count from 1, columns in characters.
struct ctoml_place {
  unsigned line;
  unsigned column;
};

struct ctoml_node {
  enum ctoml_kind kind;
  /// Empty in an array. Key and text are UTF-8, and live until the callback returns.
  const char *key;
  size_t key_count;
  struct ctoml_place key_place;
  struct ctoml_place place;
  const char *text;
  size_t text_count;
  int64_t integer;
  double real;
};

/// Calls `found` with each node of the document; the outermost table is not one of them.
///
/// - Returns: false where the text is not TOML; then nothing was found, and `failed` was called once
///   with a sentence that says why; the place is 0 where toml++ can't tell it.
bool ctoml_parse(const char *text, size_t count, void *context,
                 void (*found)(void *context, const struct ctoml_node *node),
                 void (*failed)(void *context, const char *sentence, size_t count, struct ctoml_place place));

#ifdef __cplusplus
}
#endif
