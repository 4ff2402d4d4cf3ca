// serve_talk.js: the connection to the program (docs/protocol.md): commands and their replies, and what it tells by itself.
"use strict";

const talk = (() => {
    const replies = new Map(), listeners = {rows: [], state: [], frames: [], open: [], closed: []};
    let socket = null, lastId = 0;

    const hear = (kind, what) => listeners[kind].forEach(listener => listener(what));

    // The reply to a command; undefined when there is none to be had.
    function tell(line) {
        return new Promise(resolve => {
            if (!socket || socket.readyState !== WebSocket.OPEN) {
                resolve(undefined);
                return;
            }
            replies.set(++lastId, resolve);
            socket.send(`@${lastId} ${line}`);
        });
    }

    function take(message) {
        ["rows", "frames", "state"].forEach(kind => { if (message[kind]) hear(kind, message[kind]); });
        if (message.id && replies.has(message.id)) {
            replies.get(message.id)(message.reply);
            replies.delete(message.id);
        }
    }

    function connect() {
        socket = new WebSocket(`ws://${location.host}/ws${location.search}`, "solstice");
        socket.onopen = () => hear("open");
        socket.onmessage = event => take(JSON.parse(event.data));
        socket.onclose = () => {
            replies.forEach(resolve => resolve(undefined));
            replies.clear();
            hear("closed");
            setTimeout(connect, 1000);
        };
    }

    return {tell, connect, on: (kind, listener) => listeners[kind].push(listener)};
})();

// What the program told last, and where the reader looks: time null is the present.
const session = {state: {time: 0, playing: false, edits: [], speed: 1, complete: true}, time: null, natural: 0};
const presentTime = () => session.time === null ? session.state.time : session.time;
