/* debug_names.c: name and place of a function -> object file with one symbol, told to gdb. See
 * debug_names.h.
 *
 * The object is an executable in ELF's sense, with a section .text that has an address and no
 * bytes, and a table of one symbol. It has no frame information: gdb names functions and goes by
 * its own analysis of their beginnings to find who called. */
#include "jit/debug_names.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_TEXT = 1, SECTION_SYMBOLS, SECTION_STRINGS, SECTIONS };
enum { NOTHING, REGISTER, UNREGISTER }; /* jit_descriptor.action_flag */

typedef struct Strings {
    char none, text[6], symtab[8], strtab[8], name[100];
} Strings;

typedef struct Object {
    Elf64_Ehdr head;
    Elf64_Phdr load;
    Elf64_Shdr section[SECTIONS];
    Elf64_Sym symbol[2]; /* the first is none */
    Strings strings;
} Object;

struct DebugName {
    struct jit_code_entry entry;
    Object object;
};

struct jit_descriptor __jit_debug_descriptor = {.version = 1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* gdb's breakpoint; must exist as a function of its own. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

/* ---- the object ---- */

static void write_head(Object *o)
{
    o->head = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = offsetof(Object, load),
        .e_shoff = offsetof(Object, section),
        .e_ehsize = sizeof o->head,
        .e_phentsize = sizeof o->load,
        .e_phnum = 1,
        .e_shentsize = sizeof *o->section,
        .e_shnum = SECTIONS,
        .e_shstrndx = SECTION_STRINGS};
}

static void write_sections(Object *o, uint64_t at, size_t size)
{
    o->load = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = at, .p_paddr = at, .p_memsz = size};
    o->section[SECTION_TEXT] = (Elf64_Shdr){.sh_name = offsetof(Strings, text),
                                            .sh_type = SHT_NOBITS,
                                            .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                            .sh_addr = at,
                                            .sh_size = size,
                                            .sh_addralign = 1};
    o->section[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_name = offsetof(Strings, symtab),
                                               .sh_type = SHT_SYMTAB,
                                               .sh_offset = offsetof(Object, symbol),
                                               .sh_size = sizeof o->symbol,
                                               .sh_link = SECTION_STRINGS,
                                               .sh_info = 1,
                                               .sh_addralign = 8,
                                               .sh_entsize = sizeof *o->symbol};
    o->section[SECTION_STRINGS] = (Elf64_Shdr){.sh_name = offsetof(Strings, strtab),
                                               .sh_type = SHT_STRTAB,
                                               .sh_offset = offsetof(Object, strings),
                                               .sh_size = sizeof o->strings,
                                               .sh_addralign = 1};
}

static void write_symbol(Object *o, const char *name, uint64_t at, size_t size)
{
    o->symbol[1] = (Elf64_Sym){.st_name = offsetof(Strings, name),
                               .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                               .st_shndx = SECTION_TEXT,
                               .st_value = at,
                               .st_size = size};
    o->strings = (Strings){.text = ".text", .symtab = ".symtab", .strtab = ".strtab"};
    snprintf(o->strings.name, sizeof o->strings.name, "%s", name);
}

/* ---- gdb's list ---- */

/* Lock held. */
static void tell(uint32_t action, struct jit_code_entry *entry)
{
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_register_code();
    __jit_debug_descriptor.action_flag = NOTHING;
    __jit_debug_descriptor.relevant_entry = NULL;
}

DebugName *debug_name_add(const char *name, const void *code, size_t size)
{
    DebugName *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    write_head(&made->object);
    write_sections(&made->object, (uintptr_t)code, size);
    write_symbol(&made->object, name, (uintptr_t)code, size);
    made->entry.symfile_addr = (const char *)&made->object;
    made->entry.symfile_size = sizeof made->object;
    pthread_mutex_lock(&lock);
    made->entry.next_entry = __jit_debug_descriptor.first_entry;
    if (made->entry.next_entry)
        made->entry.next_entry->prev_entry = &made->entry;
    __jit_debug_descriptor.first_entry = &made->entry;
    tell(REGISTER, &made->entry);
    pthread_mutex_unlock(&lock);
    return made;
}

void debug_name_drop(DebugName *name)
{
    if (!name)
        return;
    struct jit_code_entry *entry = &name->entry;
    pthread_mutex_lock(&lock);
    if (entry->prev_entry)
        entry->prev_entry->next_entry = entry->next_entry;
    else
        __jit_debug_descriptor.first_entry = entry->next_entry;
    if (entry->next_entry)
        entry->next_entry->prev_entry = entry->prev_entry;
    tell(UNREGISTER, entry);
    pthread_mutex_unlock(&lock);
    free(name);
}
