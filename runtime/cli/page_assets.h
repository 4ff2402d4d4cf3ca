/* page_assets.h: the texts a report's page is made of, put into the program when it is built. */
#ifndef RUNTIME_CLI_PAGE_ASSETS_H
#define RUNTIME_CLI_PAGE_ASSETS_H

#include <stddef.h>

typedef struct PageAsset {
    const char *name;        /* as between {{ and }} in report.html */
    const char *begin, *end; /* a NUL stands at the end */
} PageAsset;

/* The one of that name (n characters); NULL: none. "report.html" is the page around the others. */
const PageAsset *page_asset(const char *name, size_t n);

#endif
