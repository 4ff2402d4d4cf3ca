/* net_text.h: a list of components and the nodes they hang on -> a model in Sol.
 *
 *     Sources.ConstantVoltage V{U << 10} a b;  Basic.Resistor R{R << 2} a b;  Sources.Ground G b
 *
 * Nodes are words; their number tells the names of the pins: p; p n; p1 n1 p2 n2. What stands between `!` and the end
 * of the text is put into the model as it is. */
#ifndef TESTS_SUPPORT_NET_TEXT_H
#define TESTS_SUPPORT_NET_TEXT_H

#include <stddef.h>

void net_text(const char *net, const char *name, char *out, size_t size);

#endif
