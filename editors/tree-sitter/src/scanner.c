// The tokens that need a look ahead: ends of lines, numbers, and the text of strings.
#include "tree_sitter/parser.h"

enum Token { LINE_END, NUMBER, LANGUAGE, QUOTED_TEXT, BLOCK_TEXT, RAW_BLOCK_TEXT, ERROR };

// Lines of comments that are read to see whether an operator follows. It bounds the work of a line end.
enum { MOST_COMMENTS = 200 };

void *tree_sitter_reeve_external_scanner_create(void) { return 0; }
void tree_sitter_reeve_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_reeve_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_reeve_external_scanner_deserialize(void *payload, const char *buffer,
                                                    unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }
static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(int32_t c) { return is_letter(c) || is_digit(c) || c == '_'; }
static bool is_blank(int32_t c) { return c == ' ' || c == '\t'; }
static bool is_line_end(int32_t c) { return c == '\n' || c == '\r'; }

// An `=` that is not the begin of `==` or `=~`, after blanks: the word before it is a name.
static bool is_named(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) advance(lexer);
  if (lexer->lookahead != '=') return false;
  advance(lexer);
  return lexer->lookahead != '=' && lexer->lookahead != '~';
}

// Whether what follows belongs to the statement on the lines above.
static bool continues(TSLexer *lexer) {
  int32_t first = lexer->lookahead;
  char word[5] = {0};
  switch (first) {
    case '?': case '|': case '&': case '=': case '!': case '<': case '>':
    case '+': case '-': case '*': case '%': case ':':
      return true;
    case '/':
      advance(lexer);
      return lexer->lookahead != '-';
    default:
      break;
  }
  if (first != 'i' && first != 'e') return false;
  for (unsigned length = 0; is_word(lexer->lookahead); length += 1) {
    if (length == 4) return false;
    word[length] = (char)lexer->lookahead;
    advance(lexer);
  }
  bool is_in = word[0] == 'i' && word[1] == 'n' && word[2] == 0;
  bool is_else = word[0] == 'e' && word[1] == 'l' && word[2] == 's' && word[3] == 'e';
  return (is_in || is_else) && !is_named(lexer);
}

static bool scan_line_end(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
  if (!is_line_end(lexer->lookahead)) return false;
  lexer->result_symbol = LINE_END;
  while (is_line_end(lexer->lookahead) || is_blank(lexer->lookahead)) advance(lexer);
  lexer->mark_end(lexer);
  for (unsigned comments = 0; lexer->lookahead == '#' && comments < MOST_COMMENTS; comments += 1) {
    while (!lexer->eof(lexer) && !is_line_end(lexer->lookahead)) advance(lexer);
    while (is_line_end(lexer->lookahead) || is_blank(lexer->lookahead)) advance(lexer);
  }
  return !continues(lexer);
}

// As `NUMBER_LEXEME` in grammar/reading/lexemes.ts.
static bool scan_number(TSLexer *lexer) {
  while (is_blank(lexer->lookahead) || is_line_end(lexer->lookahead)) lexer->advance(lexer, true);
  if (!is_digit(lexer->lookahead)) return false;
  lexer->result_symbol = NUMBER;
  int32_t before_last = 0;
  int32_t last = lexer->lookahead;
  bool is_zero = last == '0';
  advance(lexer);
  lexer->mark_end(lexer);
  bool is_hexadecimal = is_zero && (lexer->lookahead == 'x' || lexer->lookahead == 'X');
  for (;;) {
    int32_t next = lexer->lookahead;
    if (next == '.' && !is_hexadecimal) {
      advance(lexer);
      if (!is_digit(lexer->lookahead)) return true;
    } else if (!is_word(next)) {
      break;
    }
    before_last = next == '.' ? '.' : last;
    last = lexer->lookahead;
    advance(lexer);
    lexer->mark_end(lexer);
  }
  if (is_hexadecimal) return true;
  bool has_exponent = (last == 'e' || last == 'E') && is_digit(before_last);
  if (has_exponent && (lexer->lookahead == '+' || lexer->lookahead == '-')) {
    advance(lexer);
    if (!is_digit(lexer->lookahead)) return true;
    while (is_digit(lexer->lookahead)) advance(lexer);
    lexer->mark_end(lexer);
  }
  if (lexer->lookahead == '%') {
    advance(lexer);
    int32_t next = lexer->lookahead;
    if (!is_word(next) && next != '(' && next != '"') lexer->mark_end(lexer);
  }
  return true;
}

static bool scan_language(TSLexer *lexer) {
  if (!is_letter(lexer->lookahead)) return false;
  lexer->result_symbol = LANGUAGE;
  for (int32_t next = lexer->lookahead;
       is_word(next) || next == '+' || next == '.' || next == '-'; next = lexer->lookahead)
    advance(lexer);
  lexer->mark_end(lexer);
  return true;
}

// Text up to what ends it: quotes, an escape, `${`, in a quoted string also the end of the line.
static bool scan_text(TSLexer *lexer, enum Token kind) {
  bool has_text = false;
  lexer->result_symbol = kind;
  for (; !lexer->eof(lexer); has_text = true) {
    int32_t next = lexer->lookahead;
    lexer->mark_end(lexer);
    if (kind == QUOTED_TEXT && (next == '"' || is_line_end(next))) return has_text;
    if (kind != RAW_BLOCK_TEXT && next == '\\') return has_text;
    if (kind != RAW_BLOCK_TEXT && next == '$') {
      advance(lexer);
      if (lexer->lookahead == '{') return has_text;
    } else if (kind != QUOTED_TEXT && next == '"') {
      unsigned quotes = 0;
      for (; quotes < 3 && lexer->lookahead == '"'; quotes += 1) advance(lexer);
      if (quotes == 3) return has_text;
    } else {
      advance(lexer);
    }
  }
  lexer->mark_end(lexer);
  return has_text;
}

bool tree_sitter_reeve_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (valid[ERROR]) return false;
  if (valid[LANGUAGE] && scan_language(lexer)) return true;
  if (valid[QUOTED_TEXT]) return scan_text(lexer, QUOTED_TEXT);
  if (valid[BLOCK_TEXT]) return scan_text(lexer, BLOCK_TEXT);
  if (valid[RAW_BLOCK_TEXT]) return scan_text(lexer, RAW_BLOCK_TEXT);
  if (valid[LINE_END]) return scan_line_end(lexer);
  return valid[NUMBER] && scan_number(lexer);
}
