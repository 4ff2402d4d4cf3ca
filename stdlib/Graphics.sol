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

    /* One point (x, y) per moment: all together they draw a picture of points. */
    model Point
    interface:
        static in Real x;
        static in Real y;
    end Point;

    /* The same with a colour that shows `value`, from red (the lowest of all) to blue (the highest). */
    model ColouredPoint
    interface:
        static in Real x;
        static in Real y;
        static in Real value;
    end ColouredPoint;

    /* The ground at height y, all the way. */
    model Ground
    interface:
        static in Real y;
    end Ground;

    package Examples

        /* A face with a name: two eyes that blink, a mouth that turns. */
        model Face
        implementation:
            static Real a;
            a = sin(3*time);
            Graphics.Ellipse{colour << "orange", fill << "yellow", width << 0.04}(sx << -1, sy << -1, dx << 1, dy << 1);
            Graphics.Rectangle(sx << -0.5, sy << 0.3, dx << -0.3, dy << 0.4 + 0.1*a);
            Graphics.Rectangle(sx << 0.3, sy << 0.3, dx << 0.5, dy << 0.4 + 0.1*a);
            Graphics.Line{colour << "red", width << 0.06}(sx << -0.5, sy << -0.4 - 0.1*a, dx << 0.5, dy << -0.4 + 0.1*a);
            Graphics.Text{text << "Sol", size << 0.2}(sx << -0.2, sy << -1.3);
            Graphics.Point(x << cos(time), y << sin(time));
        end Face;
    end Examples;
end Graphics;
