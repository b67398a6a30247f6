#include "shim.h"

// toml++ 3.3 takes for granted what damaged text does not keep to ("[." is enough); in a release build that is undefined.
#undef NDEBUG
struct Assumption {};
static constexpr void assume(bool holds) {
  if (!holds) throw Assumption{};
}
#define TOML_ASSERT(expression) assume(static_cast<bool>(expression))
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <algorithm>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

namespace {

struct Visitor {
  void *context;
  void (*found)(void *, const ctoml_node *);

  static ctoml_place place(const toml::source_region &region) {
    return {static_cast<unsigned>(region.begin.line), static_cast<unsigned>(region.begin.column)};
  }

  void table(const toml::table &table) const {
    // toml++ keeps keys by name; people want them as they wrote them.
    std::vector<std::pair<const toml::key *, const toml::node *>> members;
    for (auto &&[key, node] : table) members.emplace_back(&key, &node);
    std::sort(members.begin(), members.end(), [](auto &one, auto &other) {
      return one.first->source().begin < other.first->source().begin;
    });
    for (auto &[key, node] : members) visit(*node, key);
  }

  void visit(const toml::node &node, const toml::key *key) const {
    ctoml_node out{};
    if (key) {
      out.key = key->str().data();
      out.key_count = key->str().size();
      out.key_place = place(key->source());
    }
    out.place = place(node.source());
    switch (node.type()) {
    case toml::node_type::table:
      out.kind = CTOML_TABLE;
      found(context, &out);
      table(*node.as_table());
      end();
      return;
    case toml::node_type::array:
      out.kind = CTOML_ARRAY;
      found(context, &out);
      for (auto &&member : *node.as_array()) visit(member, nullptr);
      end();
      return;
    case toml::node_type::string:
      out.kind = CTOML_STRING;
      out.text = node.as_string()->get().data();
      out.text_count = node.as_string()->get().size();
      break;
    case toml::node_type::integer:
      out.kind = CTOML_INTEGER;
      out.integer = node.as_integer()->get();
      break;
    case toml::node_type::floating_point:
      out.kind = CTOML_FLOAT;
      out.real = node.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      out.kind = CTOML_BOOLEAN;
      out.integer = node.as_boolean()->get();
      break;
    default: out.kind = CTOML_TIME;
    }
    found(context, &out);
  }

  void end() const {
    ctoml_node out{};
    out.kind = CTOML_END;
    found(context, &out);
  }
};

} // namespace

bool ctoml_parse(const char *text, size_t count, void *context, void (*found)(void *, const ctoml_node *),
                 void (*failed)(void *, const char *, size_t, ctoml_place)) {
  // toml++ bounds how deep values nest, but not the parts of a key, each of which is a table.
  size_t parts = 0;
  unsigned line = 1;
  for (size_t i = 0; i < count; i++) {
    parts = text[i] == '\n' ? 0 : parts + (text[i] == '.');
    line += text[i] == '\n';
    if (parts <= 1000) continue;
    constexpr std::string_view why = "a line with more than 1000 dots";
    failed(context, why.data(), why.size(), {line, 1});
    return false;
  }
  try {
    Visitor{context, found}.table(toml::parse(std::string_view(text, count)));
    return true;
  } catch (const toml::parse_error &error) {
    auto why = error.description();
    failed(context, why.data(), why.size(), Visitor::place(error.source()));
    return false;
  } catch (const Assumption &) {
    constexpr std::string_view why = "what is this?";
    failed(context, why.data(), why.size(), {0, 0});
    return false;
  }
}
