/* page_assets.c: the files of page/, the plotting package and the text editor -> bytes in the program.
 *
 * SOLSTICE_PAGE_DIR holds our files, SOLSTICE_FETCHED_DIR those tools/fetch_page.sh fetched. The
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

/* name in the program, name between {{ and }} */
#define OWN_FILES(X)                                                                               \
    X(report_html, "report.html")                                                                  \
    X(report_css, "report.css")                                                                    \
    X(report_js, "report.js")                                                                      \
    X(report_modes_js, "report_modes.js")                                                          \
    X(report_events_js, "report_events.js")                                                        \
    X(serve_html, "serve.html")                                                                    \
    X(serve_css, "serve.css")                                                                      \
    X(serve_talk_js, "serve_talk.js")                                                              \
    X(serve_curves_js, "serve_curves.js")                                                          \
    X(serve_stage_js, "serve_stage.js")                                                            \
    X(serve_parameters_js, "serve_parameters.js")                                                  \
    X(serve_model_js, "serve_model.js")                                                            \
    X(serve_edits_js, "serve_edits.js")                                                            \
    X(serve_editor_js, "serve_editor.js")                                                          \
    X(serve_graph_js, "serve_graph.js")                                                            \
    X(serve_js, "serve.js")                                                                        \
    X(shared_js, "shared.js")                                                                      \
    X(pen_js, "pen.js")                                                                            \
    X(stage_js, "stage.js")                                                                        \
    X(charts_js, "charts.js")                                                                      \
    X(save_js, "save.js")

#define OWN_ASSET(symbol, file) ASSET(symbol, SOLSTICE_PAGE_DIR "/" file);
OWN_FILES(OWN_ASSET)
ASSET(uplot_css, SOLSTICE_FETCHED_DIR "/uPlot.min.css");
ASSET(uplot_js, SOLSTICE_FETCHED_DIR "/uPlot.iife.min.js");
ASSET(codemirror_js, SOLSTICE_FETCHED_DIR "/codemirror.js");

#define OWN_ENTRY(symbol, file) {file, page_##symbol##_begin, page_##symbol##_end},
static const PageAsset assets[] = {
    OWN_FILES(OWN_ENTRY)
    {"uplot.css", page_uplot_css_begin, page_uplot_css_end},
    {"uplot.js", page_uplot_js_begin, page_uplot_js_end},
    {"codemirror.js", page_codemirror_js_begin, page_codemirror_js_end},
};
/* clang-format on */

const PageAsset *page_asset(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (strlen(assets[i].name) == n && memcmp(assets[i].name, name, n) == 0)
            return &assets[i];
    return NULL;
}
