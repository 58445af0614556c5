#include "manager/output/report/xml_text.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

using namespace ipfit;

TEST_CASE("what XML would take for its own becomes a reference") {
  CHECK(xml_text(R"(<script>a & "b" 'c'</script>)") ==
        "&lt;script&gt;a &amp; &quot;b&quot; &#39;c&#39;&lt;/script&gt;");
}

TEST_CASE("letters of every language stay as they are") {
  CHECK(xml_text("Å, −, 硅, 𝛼, tab\tand\nline") == "Å, −, 硅, 𝛼, tab\tand\nline");
}

TEST_CASE("bytes that are no character of XML become the replacement character") {
  const std::string replaced = "\xef\xbf\xbd";
  for (const std::string& bad : {
           std::string("\0", 1),  // a control character
           std::string("\x1b"),   // of a terminal
           std::string("\xff"),   // no UTF-8
           std::string("\xc3"),   // the first half of one
           std::string("\x80"),   // the second half of one
       }) {
    CHECK(xml_text("a" + bad + "b") == "a" + replaced + "b");
  }
  for (const std::string& bad : {
           std::string("\xc0\xaf"),          // "/" in too many bytes
           std::string("\xed\xa0\x80"),      // half of a pair of UTF-16
           std::string("\xef\xbf\xbf"),      // no character for ever
           std::string("\xf4\x90\x80\x80"),  // beyond Unicode
       }) {
    const std::string text = xml_text(bad);
    CHECK(text.size() == replaced.size() * bad.size());  // one for each byte
    CHECK(text.starts_with(replaced));
  }
}

TEST_CASE("escaped text has no mark of XML whatever it was made of") {
  CHECK(rc::check([](const std::string& text) {
    const std::string out = xml_text(text);
    RC_ASSERT(out.find_first_of("<>\"'") == std::string::npos);
    RC_ASSERT(out.find('\0') == std::string::npos);
    RC_ASSERT(xml_text("(" + text + ")") == "(" + out + ")");
  }));
}
