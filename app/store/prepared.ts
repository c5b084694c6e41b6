/** A client of `pg`, as far as its statements go. */
interface Client {
  query(...args: unknown[]): unknown
}

/** Texts that get a name; more of them would cost every connection memory on the server. */
const maxNamed = 250
/** Uses after which a text is worth a name. */
const worthNaming = 3
const maxCounted = 5_000

const names = new Map<string, string>()
const uses = new Map<string, number>()
const known = new WeakSet<Client>()

/**
 * Compiled reads are sent under a name once they have been asked a few times: PostgreSQL parses and plans such a text
 * once per connection. Only texts with bound parameters are: there are as many of them as shapes of queries.
 */
export function prepareReads(client: Client): void {
  if (known.has(client)) return
  known.add(client)
  const query = client.query.bind(client)
  client.query = (first, values, ...rest) => {
    const name = typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined
    return name ? query({ name, text: first, values }, ...rest) : query(first, values, ...rest)
  }
}

function nameOf(text: string): string | undefined {
  const name = names.get(text)
  if (name !== undefined || names.size >= maxNamed || !text.startsWith('select ')) return name
  const count = (uses.get(text) ?? 0) + 1
  if (count < worthNaming) {
    if (uses.size >= maxCounted) uses.clear()
    uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  names.set(text, `read_${names.size}`)
  return names.get(text)
}
