// What a request does depends on time: periodic work runs between requests, and slow statements have a connection of their own.
// Imported first, because modules keep these functions.

const { setInterval: start } = globalThis
globalThis.setInterval = ((call: () => void) => start(call, 86_400_000)) as typeof setInterval
performance.now = () => 0
