/* session.cc: object files -> linked by ORC, without LLJIT. See session.h.
 *
 * The one file in C++, and no more of it than the C interface of LLVM 19 leaves to do. */
#include "jit/orc/session.h"

#include <llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h>
#include <llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/TargetParser/Host.h>

#include <cstdio>

using namespace llvm;
using namespace llvm::orc;

struct OrcSession {
    ExecutionSession session;
    ObjectLinkingLayer linking;
    explicit OrcSession(std::unique_ptr<ExecutorProcessControl> process)
        : session(std::move(process)), linking(session)
    {
    }
};

LLVMErrorRef orc_open(OrcSession **session)
{
    auto process = SelfExecutorProcessControl::Create();
    if (!process)
        return wrap(process.takeError());
    *session = new OrcSession(std::move(*process));
    return LLVMErrorSuccess;
}

void orc_close(OrcSession *session)
{
    consumeError(session->session.endSession());
    delete session;
}

LLVMOrcExecutionSessionRef orc_session(OrcSession *session)
{
    return reinterpret_cast<LLVMOrcExecutionSessionRef>(&session->session);
}

void orc_tell_gdb(OrcSession *session)
{
    auto tell = ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderGDBWrapper);
    session->linking.addPlugin(std::make_unique<DebugObjectManagerPlugin>(
        session->session, std::make_unique<EPCDebugObjectRegistrar>(session->session, tell), false,
        true));
}

LLVMErrorRef orc_add(OrcSession *session, LLVMOrcResourceTrackerRef tracker, const void *object,
                     size_t size)
{
    auto bytes = StringRef(static_cast<const char *>(object), size);
    ResourceTrackerSP to(reinterpret_cast<ResourceTracker *>(tracker));
    return wrap(
        session->linking.add(std::move(to), MemoryBuffer::getMemBufferCopy(bytes, "solstice")));
}

/* A name that cannot be read is none of ours. */
static void take_size(const object::ELFSymbolRef &symbol, uint32_t n, const char *const *names,
                      size_t *sizes)
{
    auto name = symbol.getName();
    if (!name)
        return consumeError(name.takeError());
    for (uint32_t i = 0; i < n; i++)
        if (*name == names[i])
            sizes[i] = symbol.getSize();
}

void orc_sizes(const void *object, size_t size, uint32_t n, const char *const *names, size_t *sizes)
{
    auto bytes = MemoryBufferRef(StringRef(static_cast<const char *>(object), size), "solstice");
    auto file = object::ObjectFile::createELFObjectFile(bytes);
    for (uint32_t i = 0; i < n; i++)
        sizes[i] = 0;
    if (!file)
        return consumeError(file.takeError());
    for (object::ELFSymbolRef symbol : cast<object::ELFObjectFileBase>(**file).symbols())
        take_size(symbol, n, names, sizes);
}

void orc_host(char *text, size_t room)
{
    std::string features;
    for (const auto &feature : sys::getHostCPUFeatures())
        features += (feature.second ? " +" : " -") + feature.first().str();
    snprintf(text, room, "%s %s%s", sys::getDefaultTargetTriple().c_str(),
             sys::getHostCPUName().str().c_str(), features.c_str());
}
