import type { Registry, Server } from '#kernel/plugin'

/** The key of the filter, or keys by the names of servers. */
export type FilterKeys = string | Readonly<Record<string, string>>

const defaultKey = 'where'

export function findKey(server: Pick<Server, 'name'>, keys: FilterKeys): string {
  return typeof keys === 'string' ? keys : (keys[server.name] ?? defaultKey)
}

/** Returns the servers that accept each key. Reports names of servers that do not exist, and keys that no URL can have. */
export function groupServersByKey(
  keys: FilterKeys,
  servers: readonly Server[],
  registry: Registry,
): Map<string, Set<string>> {
  const fail = (message: string) => registry.fail(owner, 'key', message)
  const names = servers.map(({ name }) => name)
  for (const name of typeof keys === 'string' ? [] : Object.keys(keys)) {
    if (!names.includes(name)) fail(`'${name}' is not a server. Servers: ${names.join(', ')}.`)
  }
  const found = new Map<string, Set<string>>()
  for (const server of servers) {
    const key = findKey(server, keys)
    if (key === '' || /[[\]]/.test(key)) fail(`'${key}' cannot be a key: write one without brackets.`)
    found.set(key, (found.get(key) ?? new Set()).add(server.name))
  }
  return found
}

const owner = { name: 'filterExpressions', file: 'app/plugins.ts' }
