/* sensor.c: a foreign function with memory, for tests: it filters what it measures, and counts its
 * lives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sensor {
    double last, weight;
    int samples;
} Sensor;

void *sensor_new(void);
void sensor_free(void *handle);
void *sensor_tuned(double weight, int samples, const char *unit);
double sensor_read(void *handle, double x);
int sensor_count(void *handle, double x);
double sensor_gain(double gain, int power, double x);
double sensor_gain_slope(double gain, int power, double x, int which);
int sensor_alive(int dummy);
void *sensor_refuses(void);
double sensor_fails(double x);
int sensor_flag(int a, int on);
const char *sensor_label(const char *name, int number);
const char *solstice_error(void);

static int alive;
static const char *error; /* of the last call; NULL: it went well */

/* each new value counts `weight`, what was before the rest */
void *sensor_tuned(double weight, int samples, const char *unit)
{
    if (strcmp(unit, "V") != 0) {
        error = "the unit is not V";
        return NULL;
    }
    Sensor *s = calloc(1, sizeof *s);
    s->weight = weight;
    s->samples = samples;
    alive++;
    return s;
}

void *sensor_new(void)
{
    return sensor_tuned(0.5, 0, "V");
}

void sensor_free(void *handle)
{
    alive--;
    free(handle);
}

double sensor_read(void *handle, double x)
{
    Sensor *s = handle;
    s->last += s->weight * (x - s->last);
    s->samples++;
    return s->last;
}

/* an Integer cannot be NaN: it fails in words */
int sensor_count(void *handle, double x)
{
    Sensor *s = handle;
    if (x > 1.5)
        error = "out of range";
    return ++s->samples;
}

double sensor_gain(double gain, int power, double x)
{
    return gain * pow(x, power);
}

/* the parameters are not counted: x is number 0 */
double sensor_gain_slope(double gain, int power, double x, int which)
{
    if (which != 0)
        error = "there is one in-member";
    return gain * power * pow(x, power - 1);
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
    if (x < 0)
        error = "x is negative";
    return sqrt(fabs(x));
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
    const char *text = error;
    error = NULL;
    return text;
}
