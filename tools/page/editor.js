// CodeMirror -> the text editor of the page of `solstice serve`: Sol in colours, completion, marks and verdicts at lines.
// tools/fetch_page.sh bundles it; runtime/cli/page/serve_editor.js uses it.
//
//   const editor = window.solsticeEditor({parent, label, nonce, words, complete, onChange, onApply});
//   editor.text(), editor.setText(text), editor.mark({runs, changed, verdicts}), editor.show(line)
//
// words: {keywords, types, functions}, lists of names. complete(path): a promise of members, [{label, type, detail}]. Lines count
// from 1: `runs` is a set of them, `changed` a list, `verdicts` a map to elements that are shown below their line.
import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
    Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers,
    WidgetType
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

// ---- Sol in colours ----

function solLanguage(words) {
    const kinds = new Map();
    words.keywords.forEach(word => kinds.set(word, "keyword"));
    words.types.forEach(word => kinds.set(word, "typeName"));
    words.functions.forEach(word => kinds.set(word, "function"));

    function inComment(stream, state) {
        state.comment = !stream.match(/^.*?\*\//);
        if (state.comment)
            stream.skipToEnd();
        return "comment";
    }

    function token(stream, state) {
        if (state.comment)
            return inComment(stream, state);
        if (stream.eatSpace())
            return null;
        if (stream.match("//")) {
            stream.skipToEnd();
            return "comment";
        }
        if (stream.match("/*"))
            return inComment(stream, state);
        if (stream.match(/^"(?:[^"\\]|\\.)*"?/))
            return "string";
        if (stream.match(/^\d+(?:\.\d*)?(?:[eE][-+]?\d+)?/))
            return "number";
        const word = stream.match(/^[A-Za-z_]\w*/);
        if (word)
            return kinds.get(word[0]) || (/^[A-Z]/.test(word[0]) ? "typeName" : "variableName");
        return stream.match(/^(?:<<|<-|<=|>=|<>|==|[-+*/^=<>])/) ? "operator" : (stream.next(), null);
    }

    return StreamLanguage.define({
        name: "sol", startState: () => ({comment: false}), token,
        tokenTable: {function: tags.standard(tags.variableName)},
        languageData: {commentTokens: {line: "//", block: {open: "/*", close: "*/"}}, closeBrackets: {brackets: ["(", "[", "{", "\""]}}
    });
}

const colours = HighlightStyle.define([
    {tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600"},
    {tag: tags.typeName, color: "var(--code-type)"},
    {tag: tags.standard(tags.variableName), color: "var(--code-function)"},
    {tag: tags.string, color: "var(--code-string)"},
    {tag: tags.number, color: "var(--code-number)"},
    {tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic"},
    {tag: tags.operator, color: "var(--code-operator)"}
]);

// ---- marks ----

const setMarks = StateEffect.define();

class Verdict extends WidgetType {
    constructor(element) {
        super();
        this.element = element;
    }
    eq(other) { return other.element === this.element; }
    toDOM() { return this.element; }
    ignoreEvent() { return true; }
}

class Dot extends GutterMarker {
    constructor(className) {
        super();
        this.elementClass = className;
    }
    eq(other) { return other.elementClass === this.elementClass; }
}

const RUNS = new Dot("cm-runs"), CHANGED = new Dot("cm-changed");
const NO_MARKS = {runs: new Set(), changed: new Set(), decorations: Decoration.none};

function placeMarks(state, {runs, changed, verdicts}) {
    const list = [], last = state.doc.lines;
    changed.forEach(line => { if (line <= last) list.push(Decoration.line({class: "cm-changed-line"}).range(state.doc.line(line).from)); });
    verdicts.forEach((element, line) => list.push(
        Decoration.widget({widget: new Verdict(element), block: true, side: 1}).range(state.doc.line(Math.min(line, last)).to)));
    return {runs, changed: new Set(changed), decorations: Decoration.set(list, true)};
}

const marks = StateField.define({
    create: () => NO_MARKS,
    update(value, transaction) {
        for (const effect of transaction.effects)
            if (effect.is(setMarks))
                return placeMarks(transaction.state, effect.value);
        return transaction.docChanged ? {...value, decorations: value.decorations.map(transaction.changes)} : value;
    },
    provide: field => EditorView.decorations.from(field, value => value.decorations)
});

const runGutter = gutter({
    class: "cm-run-gutter",
    lineMarker(view, block) {
        const line = view.state.doc.lineAt(block.from).number, value = view.state.field(marks);
        return value.changed.has(line) ? CHANGED : value.runs.has(line) ? RUNS : null;
    },
    lineMarkerChange: update => update.startState.field(marks) !== update.state.field(marks)
});

// ---- completion ----

// Members behind a path, `D.p.`; elsewhere those of the top, and words of the language.
function completer(words, complete) {
    const fixed = [...words.keywords.map(label => ({label, type: "keyword"})), ...words.types.map(label => ({label, type: "type"})),
                   ...words.functions.map(label => ({label, type: "function"}))];
    return async context => {
        const before = context.matchBefore(/[A-Za-z_][\w.]*/);
        if (!before && !context.explicit)
            return null;
        const text = before ? before.text : "", dot = text.lastIndexOf(".");
        const members = await complete(dot < 0 ? "" : text.slice(0, dot));
        return {from: (before ? before.from : context.pos) + dot + 1, options: dot < 0 ? [...members, ...fixed] : members, validFor: /^\w*$/};
    };
}

window.solsticeEditor = ({parent, label, nonce, words, complete, onChange, onApply}) => {
    const apply = {key: "Mod-Enter", preventDefault: true, run: () => { onApply(); return true; }};
    const view = new EditorView({
        parent,
        state: EditorState.create({
            doc: "",
            extensions: [
                EditorView.cspNonce.of(nonce), lineNumbers(), runGutter, marks, highlightSpecialChars(), history(), drawSelection(),
                indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), EditorView.lineWrapping,
                autocompletion({override: [completer(words, complete), completeAnyWord]}),
                solLanguage(words), syntaxHighlighting(colours), EditorState.tabSize.of(4),
                keymap.of([apply, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
                EditorView.contentAttributes.of({"aria-label": label, tabindex: "0"}),
                EditorView.updateListener.of(update => { if (update.docChanged) onChange(); })
            ]
        })
    });
    return {
        view,
        text: () => view.state.doc.toString(),
        setText(text) { // only what differs, so that cursor and scroll stay
            const old = view.state.doc.toString();
            let from = 0, back = 0;
            while (from < old.length && from < text.length && old[from] === text[from])
                from++;
            while (back < old.length - from && back < text.length - from && old[old.length - 1 - back] === text[text.length - 1 - back])
                back++;
            view.dispatch({changes: {from, to: old.length - back, insert: text.slice(from, text.length - back)}});
        },
        mark: what => view.dispatch({effects: setMarks.of(what)}),
        show(line, looks = 4) { // scrolls the text, not the page; heights of wrapped lines are known when they were seen
            view.scrollDOM.scrollTop = view.lineBlockAt(view.state.doc.line(Math.min(line, view.state.doc.lines)).from).top;
            if (looks > 1)
                requestAnimationFrame(() => this.show(line, looks - 1));
        }
    };
};
