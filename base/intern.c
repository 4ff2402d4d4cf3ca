/* intern.c: texts -> symbols. See intern.h. */
#include "base/intern.h"

#include <string.h>

void intern_init(Intern *table, Mem *mem)
{
    *table = (Intern){.mem = mem};
    arena_init(&table->arena, mem);
    vec_push(mem, &table->texts, ((InternText){.text = ""}));
}

void intern_free(Intern *table)
{
    arena_free(&table->arena);
    map_free(table->mem, &table->by_hash);
    vec_free(table->mem, &table->texts);
}

Sym intern(Intern *table, const char *text, size_t length)
{
    uint64_t hash = hash_bytes(text, length, 0);
    Sym first = map_get(&table->by_hash, hash);
    for (Sym s = first; s; s = table->texts.at[s].same_hash) {
        const InternText *t = &table->texts.at[s];
        if (t->length == length && memcmp(t->text, text, length) == 0)
            return s;
    }
    InternText entry = {arena_copy(&table->arena, text, length), (uint32_t)length, first};
    Sym sym = table->texts.n;
    vec_push(table->mem, &table->texts, entry);
    map_put(table->mem, &table->by_hash, hash, sym);
    return sym;
}

Sym intern_str(Intern *table, const char *text)
{
    return intern(table, text, strlen(text));
}

const char *intern_text(const Intern *table, Sym sym)
{
    return table->texts.at[sym].text;
}
