/* Graphics: records of what is to be drawn.

   These models have no equations. A component that wants to be seen declares one in place and
   transmits coordinates to it, `Graphics.Line(sx << a.x, sy << a.y, dx << b.x, dy << b.y);`. They
   take part in nothing; whoever draws reads them from the result. x grows to the right, y upwards,
   lengths are in the units of the model (in Planar m).

   Colours are names (black, grey, white, red, orange, yellow, green, blue, purple, brown), which are
   readable on light and on dark pages, or "#rrggbb". Without one, the page takes its own. */
package Graphics

    /* How a shape looks: a line as wide as `width` (0: thin, whatever the scale) in `colour`; what has an inside
       is filled with `fill`, and without one with `colour`. */
    partial model Look
    interface:
        parameter Real width << 0;
        parameter String colour << "";
        parameter String fill << "";
    end Look;

    /* Two opposite corners: (sx, sy) and (dx, dy). */
    partial model Shape
        extends Look;
    interface:
        static in Real sx;
        static in Real sy;
        static in Real dx;
        static in Real dy;
    end Shape;

    /* From (sx, sy) to (dx, dy). */
    model Line
        extends Shape;
    end Line;

    /* Sides parallel to the axes, corners (sx, sy) and (dx, dy). */
    model Rectangle
        extends Shape;
    end Rectangle;

    /* Fills the rectangle with corners (sx, sy) and (dx, dy). */
    model Ellipse
        extends Shape;
    end Ellipse;

    /* `text` beginning at (sx, sy), letters of the given size. */
    model Text
    interface:
        parameter String colour << "";
        parameter String text;
        parameter Real size << 1;
        static in Real sx;
        static in Real sy;
    end Text;

    /* A picture that moves and turns: its lower edge goes from (sx, sy) to (dx, dy), its height follows from its own
       proportions. `source` is the picture itself as a text, so that a model is whole without other files:
       "data:image/png;base64,..." (as well jpeg, gif, webp), or "data:image/svg+xml,<svg ...>", where "%23" stands
       for "#". `base64 -w0 stone.png` in a shell gives such a text. */
    model Image
    interface:
        parameter String source;
        static in Real sx;
        static in Real sy;
        static in Real dx;
        static in Real dy;
    end Image;

    /* One point (x, y) per moment: all together they draw a picture of points. `axes` says what x and y are called:
       "place [m] | time [s]". */
    model Point
    interface:
        parameter String axes << "";
        static in Real x;
        static in Real y;
    end Point;

    /* The same with a colour that shows `value`, from red (the lowest of all) to blue (the highest); its name is the
       third of `axes`. */
    model ColouredPoint
    interface:
        parameter String axes << "";
        static in Real x;
        static in Real y;
        static in Real value;
    end ColouredPoint;

    /* The ground at height y, all the way. `unit` is that of lengths, shown at the scale. */
    model Ground
    interface:
        parameter String unit << "";
        static in Real y;
    end Ground;

    package Examples

        /* A face with a name and a hat: two eyes that blink, a mouth that turns. */
        model Face
        implementation:
            static Real a;
            a = sin(3*time);
            Graphics.Ellipse{colour << "orange", fill << "yellow", width << 0.04}(sx << -1, sy << -1, dx << 1, dy << 1);
            Graphics.Rectangle(sx << -0.5, sy << 0.3, dx << -0.3, dy << 0.4 + 0.1*a);
            Graphics.Rectangle(sx << 0.3, sy << 0.3, dx << 0.5, dy << 0.4 + 0.1*a);
            Graphics.Line{colour << "red", width << 0.06}(sx << -0.5, sy << -0.4 - 0.1*a, dx << 0.5, dy << -0.4 + 0.1*a);
            Graphics.Image{source << "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='160' height='90'><rect x='35' width='90' height='76' rx='4' fill='%23444c5c'/><rect x='35' y='52' width='90' height='14' fill='%23c0392b'/><rect y='74' width='160' height='16' rx='8' fill='%23444c5c'/></svg>"}
                (sx << -0.8, sy << 0.75 + 0.05*a, dx << 0.8, dy << 0.75 - 0.05*a);
            Graphics.Text{text << "Sol", size << 0.2}(sx << -0.2, sy << -1.3);
            Graphics.Point(x << cos(time), y << sin(time));
        end Face;
    end Examples;
end Graphics;
