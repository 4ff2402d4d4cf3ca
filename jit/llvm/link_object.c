/* link_object.c: object file -> code that runs wherever it lies. See lower.h.
 *
 * What LLVM makes of our functions refers to nothing outside its module but constants that it has
 * put into read-only sections (a sign mask, 1.0), and to those relative to the program counter. So
 * code and copies of these sections, laid side by side, can be linked once and moved freely:
 * between places in memory, into a file and back into another process. Each function of a module
 * gets its own copy, and can be dropped alone. Anything else in an object is a reason to refuse it.
 */
#include "jit/llvm/lower.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

typedef struct Object {
    const char *bytes;
    size_t size;
    const Elf64_Shdr *section;
    uint32_t n_sections;
    const Elf64_Sym *symbol;
    uint32_t n_symbols;
    const char *names;
} Object;

typedef struct Placed { /* a section that code refers to */
    uint32_t section;
    size_t at; /* in the code */
} Placed;

typedef struct Linker {
    Object object;
    const Elf64_Sym *function;
    VEC(Placed) placed;
    size_t size; /* of code and placed sections */
    unsigned char *out;
} Linker;

static size_t align(size_t n, size_t to)
{
    return to > 1 ? (n + to - 1) / to * to : n;
}

/* ---- reading ---- */

static bool read_object(Object *o)
{
    const Elf64_Ehdr *head = (const void *)o->bytes;
    if (o->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64)
        return false;
    o->section = (const void *)(o->bytes + head->e_shoff);
    o->n_sections = head->e_shnum;
    for (uint32_t i = 0; i < o->n_sections; i++)
        if (o->section[i].sh_type == SHT_SYMTAB) {
            o->symbol = (const void *)(o->bytes + o->section[i].sh_offset);
            o->n_symbols = (uint32_t)(o->section[i].sh_size / sizeof *o->symbol);
            o->names = o->bytes + o->section[o->section[i].sh_link].sh_offset;
        }
    return o->symbol != NULL;
}

static const Elf64_Sym *find_function(const Object *o, uint32_t number)
{
    char name[16];
    snprintf(name, sizeof name, "f%u", number);
    for (uint32_t i = 0; i < o->n_symbols; i++)
        if (ELF64_ST_TYPE(o->symbol[i].st_info) == STT_FUNC &&
            strcmp(o->names + o->symbol[i].st_name, name) == 0)
            return &o->symbol[i];
    return NULL;
}

/* ---- relocations ---- */

typedef bool (*Visit)(Arena *arena, Linker *linker, const Elf64_Rela *rela);

static bool each_relocation(Arena *arena, Linker *k, Visit visit)
{
    const Elf64_Sym *f = k->function;
    for (uint32_t i = 0; i < k->object.n_sections; i++) {
        const Elf64_Shdr *s = &k->object.section[i];
        if (s->sh_type != SHT_RELA || s->sh_info != f->st_shndx)
            continue;
        const Elf64_Rela *rela = (const void *)(k->object.bytes + s->sh_offset);
        const Elf64_Rela *end = rela + s->sh_size / sizeof *rela;
        for (; rela < end; rela++)
            if (rela->r_offset >= f->st_value && rela->r_offset < f->st_value + f->st_size &&
                !visit(arena, k, rela))
                return false;
    }
    return true;
}

static bool place_section(Arena *arena, Linker *k, const Elf64_Rela *rela)
{
    const Elf64_Sym *to = &k->object.symbol[ELF64_R_SYM(rela->r_info)];
    uint32_t type = ELF64_R_TYPE(rela->r_info);
    if ((type != R_X86_64_PC32 && type != R_X86_64_PLT32) || to->st_shndx == SHN_UNDEF ||
        to->st_shndx >= k->object.n_sections)
        return false;
    const Elf64_Shdr *s = &k->object.section[to->st_shndx];
    if (s->sh_type != SHT_PROGBITS || (s->sh_flags & (SHF_WRITE | SHF_EXECINSTR)))
        return false;
    for (uint32_t i = 0; i < k->placed.n; i++)
        if (k->placed.at[i].section == to->st_shndx)
            return true;
    if (s->sh_addralign > BACKEND_ALIGN)
        return false;
    size_t at = align(k->size, s->sh_addralign);
    vec_push(arena->mem, &k->placed, ((Placed){to->st_shndx, at}));
    k->size = at + s->sh_size;
    return true;
}

static bool apply(Arena *arena, Linker *k, const Elf64_Rela *rela)
{
    (void)arena;
    const Elf64_Sym *to = &k->object.symbol[ELF64_R_SYM(rela->r_info)];
    uint32_t i = 0;
    while (k->placed.at[i].section != to->st_shndx)
        i++;
    size_t from = rela->r_offset - k->function->st_value;
    int64_t distance =
        (int64_t)(k->placed.at[i].at + to->st_value) + rela->r_addend - (int64_t)from;
    int32_t word = (int32_t)distance;
    if (word != distance)
        return false;
    memcpy(k->out + from, &word, sizeof word);
    return true;
}

/* ---- linking ---- */

static void copy_sections(Linker *k)
{
    const Object *o = &k->object;
    const Elf64_Shdr *text = &o->section[k->function->st_shndx];
    memcpy(k->out, o->bytes + text->sh_offset + k->function->st_value, k->function->st_size);
    for (uint32_t i = 0; i < k->placed.n; i++) {
        const Elf64_Shdr *s = &o->section[k->placed.at[i].section];
        memcpy(k->out + k->placed.at[i].at, o->bytes + s->sh_offset, s->sh_size);
    }
}

bool link_object(Arena *arena, const char *object, size_t size, uint32_t function,
                 const unsigned char **code, size_t *code_size)
{
    Linker k = {.object = {.bytes = object, .size = size}};
    if (!read_object(&k.object) || !(k.function = find_function(&k.object, function)))
        return false;
    k.size = k.function->st_size;
    bool linked = each_relocation(arena, &k, place_section);
    if (linked) {
        k.out = arena_alloc(arena, k.size + 1);
        copy_sections(&k);
        linked = each_relocation(arena, &k, apply);
    }
    vec_free(arena->mem, &k.placed);
    *code = k.out;
    *code_size = k.size;
    return linked;
}
