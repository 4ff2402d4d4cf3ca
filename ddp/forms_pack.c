/* forms_pack.c: the table of expressions and equations <-> a block of bytes. See ddp.h.
 *
 * Numbers of expressions decide nothing but are everywhere, so they stay what they were: nodes are
 * made again in their order. What the table found out about them is found out again when somebody
 * asks; all nodes that it consists of are there already. */
#include "base/pack.h"
#include "ddp/ddp.h"
#include "ddp/expr_int.h"

enum { NODE_BYTES = 21, FORM_BYTES = 12 };

static void pack_nodes(FormTable *table, Pack *p)
{
    uint32_t n = pack_count(p, table->nodes.n - 1, NODE_BYTES);
    for (X x = 1; x <= n && !p->bad; x++) {
        XNode node = p->writing ? table->nodes.at[x] : (XNode){0};
        PACK(p, node.op);
        PACK(p, node.a);
        PACK(p, node.b);
        PACK(p, node.c);
        PACK(p, node.k);
        if (!p->writing)
            p->bad |= xnode_rebuild(table, node, node.a, node.b, node.c) != x;
    }
}

static void pack_forms(FormTable *table, Pack *p)
{
    uint32_t n = pack_count(p, table->forms.n - 1, FORM_BYTES);
    for (Form form = 1; form <= n && !p->bad; form++) {
        FormEntry entry = p->writing ? table->forms.at[form] : (FormEntry){0};
        PACK(p, entry.lhs);
        PACK(p, entry.rhs);
        PACK(p, entry.n);
        if (!p->writing)
            p->bad |= form_make(table, entry.lhs, entry.rhs, entry.n) != form;
    }
}

static void pack_functions(FormTable *table, Pack *p)
{
    PACK_LIST(p, &table->functions);
    for (uint32_t i = 1; i < table->functions.n && !p->writing; i++) {
        XFunction function = table->functions.at[i];
        if (function.origin)
            map_put(table->mem, &table->partials, (uint64_t)function.origin << 32 | function.which,
                    i);
    }
}

void forms_pack(FormTable *table, Pack *p)
{
    pack_nodes(table, p);
    pack_forms(table, p);
    pack_functions(table, p);
}
