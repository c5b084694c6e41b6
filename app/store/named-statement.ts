import { executionOf, toWire } from './execution.ts'
import { type Field, type Parse, type ReadRow, type Row, readerOf } from './row-reader.ts'

/** What the server makes of a statement. */
export interface Answer {
  readonly rows: Row[]
  /** INSERT, for example. */
  readonly command: string
  readonly rowCount: number
}

/** A connection of `pg`, as statements see it. */
export interface Wire {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void; cork(): void; uncork(): void }
  /** Texts by name that the server has, and those it is about to get. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  /** How rows are read, by the name of their statement: they have been described on this connection. */
  readers?: Map<string, ReadRow>
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(values: object): void
  describe(portal: { readonly type: 'P'; readonly name: '' }): void
  execute(portal: object): void
  sync(): void
}

/**
 * A statement for `pg` that the server is told once per connection. After that only its values are sent, and its rows
 * are read the way they were described the first time: a server refuses a name whose columns have changed since.
 */
export class NamedStatement implements Answer {
  name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly rows: Row[] = []
  readonly #parserOf: (type: number) => Parse
  #wire: Wire | undefined
  #read: ReadRow | undefined
  #tag = ''
  #failure: unknown
  /** `pg` puts its own in front of it where answers have a limit. */
  callback: (error: unknown, answer?: Answer) => void

  constructor(
    name: string,
    text: string,
    values: readonly unknown[],
    parserOf: (type: number) => Parse,
    callback: (error: unknown, answer?: Answer) => void,
  ) {
    this.name = name
    this.text = text
    this.values = values
    this.#parserOf = parserOf
    this.callback = callback
  }

  submit(wire: Wire): null {
    this.#wire = wire
    const isKnown = wire.parsedStatements[this.name] !== undefined
    // It may yet fail for whoever was first to say it.
    if (!isKnown && wire.submittedNamedStatements[this.name] !== undefined) this.name = ''
    this.#read = isKnown ? wire.readers?.get(this.name) : undefined
    if (this.#read) this.#execute(wire)
    else this.#introduce(wire, isKnown)
    return null
  }

  #execute(wire: Wire): void {
    try {
      const execution = executionOf(this.name, this.values)
      if (wire.stream.writable) wire.stream.write(execution)
    } catch (error) {
      this.#failure = error // a value that cannot be sent; what follows is the answer to nothing
      wire.sync()
    }
  }

  #introduce(wire: Wire, isParsed: boolean): void {
    wire.stream.cork()
    try {
      if (!isParsed) wire.parse({ name: this.name, text: this.text })
      if (!isParsed && this.name) wire.submittedNamedStatements[this.name] = this.text
      wire.bind({ statement: this.name, values: this.values, valueMapper: toWire })
      wire.describe({ type: 'P', name: '' })
      wire.execute({})
    } catch (error) {
      this.#failure = error
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#read = readerOf(fields, this.#parserOf)
    const wire = this.#wire as Wire
    wire.readers ??= new Map()
    if (this.name) wire.readers.set(this.name, this.#read)
  }

  /** A row that stands between two places. */
  takeRow(bytes: Buffer, start: number, end: number): void {
    if (this.#failure !== undefined) return
    try {
      this.rows.push((this.#read as ReadRow)(bytes, start, end))
    } catch (error) {
      this.#failure = error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#tag = text
  }

  handleReadyForQuery(): void {
    if (this.#failure !== undefined) this.callback(this.#failure)
    else this.callback(null, this)
  }

  /** `SELECT 3`, `INSERT 0 1`: what was done, and to how many rows. */
  get command(): string {
    return this.#tag.split(' ', 1)[0] as string
  }

  get rowCount(): number {
    const start = this.#tag.lastIndexOf(' ') + 1
    return start > 0 ? Number(this.#tag.slice(start)) : 0
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
