/* page_assets.c: the files of page/ and the plotting package's files -> bytes in the program.
 *
 * SOLSTICE_PAGE_DIR holds our files, SOLSTICE_UPLOT_DIR those tools/fetch_page.sh fetched. The
 * assembler copies the files in as they are. */
#include "runtime/cli/page_assets.h"

#include <string.h>

/* clang-format off */
#define ASSET(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            "page_" #symbol "_begin:\n"                                                            \
            ".incbin \"" file "\"\n"                                                               \
            "page_" #symbol "_end:\n"                                                              \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char page_##symbol##_begin[], page_##symbol##_end[]
/* clang-format on */

ASSET(html, SOLSTICE_PAGE_DIR "/report.html");
ASSET(css, SOLSTICE_PAGE_DIR "/report.css");
ASSET(js, SOLSTICE_PAGE_DIR "/report.js");
ASSET(serve_html, SOLSTICE_PAGE_DIR "/serve.html");
ASSET(serve_css, SOLSTICE_PAGE_DIR "/serve.css");
ASSET(serve_js, SOLSTICE_PAGE_DIR "/serve.js");
ASSET(shared_js, SOLSTICE_PAGE_DIR "/shared.js");
ASSET(uplot_css, SOLSTICE_UPLOT_DIR "/uPlot.min.css");
ASSET(uplot_js, SOLSTICE_UPLOT_DIR "/uPlot.iife.min.js");

static const PageAsset assets[] = {
    {"report.html", page_html_begin, page_html_end},
    {"report.css", page_css_begin, page_css_end},
    {"report.js", page_js_begin, page_js_end},
    {"serve.html", page_serve_html_begin, page_serve_html_end},
    {"serve.css", page_serve_css_begin, page_serve_css_end},
    {"serve.js", page_serve_js_begin, page_serve_js_end},
    {"shared.js", page_shared_js_begin, page_shared_js_end},
    {"uplot.css", page_uplot_css_begin, page_uplot_css_end},
    {"uplot.js", page_uplot_js_begin, page_uplot_js_end},
};

const PageAsset *page_asset(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (strlen(assets[i].name) == n && memcmp(assets[i].name, name, n) == 0)
            return &assets[i];
    return NULL;
}
