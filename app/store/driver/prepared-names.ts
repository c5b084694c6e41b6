import { LruMap } from './lru-map.ts'

/** A text that is asked often, and the name it has on every connection. */
export class Named {
  readonly name: string
  readonly text: string
  /** How long it takes the server, in milliseconds, of late. */
  pace = 0

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
  }

  note(milliseconds: number): void {
    this.pace += (milliseconds - this.pace) / 8
  }
}

/** Uses after which a text is worth a name. */
const worthNaming = 3
/** Texts whose uses are counted. */
const maxCounted = 1_000
/** Characters of a text that gets a name. A longer one costs the server megabytes for every connection that prepares it. */
const maxText = 8_192

const names = new LruMap<string, Named>()
const uses = new LruMap<string, number>()
let given = 0

export function knownName(text: string): Named | undefined {
  return names.get(text)
}

/**
 * Compiled statements are sent under a name once they have been sent a few times: PostgreSQL parses and plans such a
 * text once per connection, and keeps it there. Only texts with bound parameters are: there are as many of them as
 * shapes of queries. A new name takes the place of the least recently used one.
 */
export function nameOf(text: string, values: readonly unknown[], max: number): Named | undefined {
  if (values.length === 0 || text.length > maxText) return undefined
  const known = names.get(text)
  if (known !== undefined) return known
  const count = (uses.get(text) ?? 0) + 1
  if (count < worthNaming) {
    uses.set(text, count, maxCounted)
    return undefined
  }
  uses.delete(text)
  return give(text, max)
}

/** Connections that know the text under another name are told it anew, each when it is asked next. */
export function renamed({ name, text }: Named, max: number): Named {
  const now = names.get(text)
  return now && now.name !== name ? now : give(text, max)
}

function give(text: string, max: number): Named {
  const named = new Named(`statement_${given++}`, text)
  names.set(text, named, max)
  return named
}
