/* sensor.c: a foreign function with memory, for tests: it filters what it measures, and counts its
 * lives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sensor {
    double last;
    int samples;
} Sensor;

void *sensor_new(void);
void sensor_free(void *handle);
double sensor_read(void *handle, double x);
int sensor_alive(int dummy);
void *sensor_refuses(void);
double sensor_fails(double x);
int sensor_flag(int a, int on);
const char *sensor_label(const char *name, int number);
const char *solstice_error(void);

static int alive;
static const char *error = "nothing went wrong yet";

void *sensor_new(void)
{
    alive++;
    return calloc(1, sizeof(Sensor));
}

void sensor_free(void *handle)
{
    alive--;
    free(handle);
}

/* half of the new value, half of the last */
double sensor_read(void *handle, double x)
{
    Sensor *s = handle;
    s->last = (s->last + x) / 2;
    s->samples++;
    return s->last;
}

int sensor_alive(int dummy)
{
    return alive + dummy;
}

void *sensor_refuses(void)
{
    error = "no such device";
    return NULL;
}

double sensor_fails(double x)
{
    error = "x is negative";
    return x < 0 ? NAN : sqrt(x);
}

int sensor_flag(int a, int on)
{
    return on ? -a : 0;
}

const char *sensor_label(const char *name, int number)
{
    return strcmp(name, "left") == 0 && number == 3 ? "left three" : "unknown";
}

const char *solstice_error(void)
{
    return error;
}
