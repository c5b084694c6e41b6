import { type Prepared, PreparedStatements, type PreparingWire } from '../driver/prepared-statements.ts'
import { executionOf, toWire } from './bind-message.ts'
import { type Field, type Parse, type ReadRow, type Row, readerOf } from './row-reader.ts'

/** What the server makes of a statement. */
export interface Answer {
  readonly rows: Row[]
  /** INSERT, for example. */
  readonly command: string
  readonly rowCount: number
}

/** A connection of `pg`, as statements see it. */
export interface Wire extends PreparingWire {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void; cork(): void; uncork(): void }
  /** Texts by name whose Parse the server has yet to confirm. */
  readonly submittedNamedStatements: Record<string, string>
  /** Unlimited when it is not set. */
  prepared?: PreparedStatements
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
  #prepared: Prepared | undefined
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
    wire.prepared ??= new PreparedStatements()
    const isKnown = wire.parsedStatements[this.name] !== undefined
    if (isKnown) this.#prepared = wire.prepared.use(this.name)
    this.#read = this.#prepared?.read
    if (this.#read) this.#execute(wire)
    else this.#introduce(wire, wire.prepared, isKnown)
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

  #introduce(wire: Wire, prepared: PreparedStatements, isParsed: boolean): void {
    wire.stream.cork()
    try {
      if (!isParsed) this.#parse(wire, prepared)
      wire.bind({ statement: this.name, values: this.values, valueMapper: toWire })
      wire.describe({ type: 'P', name: '' })
      wire.execute({})
    } catch (error) {
      this.#failure = error
    }
    wire.sync()
    wire.stream.uncork()
  }

  /** Sends the text without a name while an earlier Parse of that name may still fail, or when there is no room for it. */
  #parse(wire: Wire, prepared: PreparedStatements): void {
    if (wire.submittedNamedStatements[this.name] !== undefined || !prepared.makeRoom(wire)) this.name = ''
    wire.parse({ name: this.name, text: this.text })
    if (!this.name) return
    wire.submittedNamedStatements[this.name] = this.text
    this.#prepared = prepared.use(this.name)
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#read = readerOf(fields, this.#parserOf)
    if (this.#prepared) this.#prepared.read = this.#read
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
    if (this.#prepared) this.#prepared.inFlight--
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
    if (this.#prepared) this.#prepared.inFlight--
    if (this.#wire?.parsedStatements[this.name] === undefined) this.#wire?.prepared?.forget(this.name)
    this.callback(error)
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
