import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api'

/**
 * A span that begins when it is used: by a child, such as a statement, by an attribute, or if it lasts longer than
 * `minDuration` milliseconds. Most hooks are shorter and would only fill the trace.
 */
export class LazySpan implements Span {
  readonly #begin: () => Span
  readonly #minDuration: number
  readonly #startTime = Date.now()
  #span: Span | undefined

  constructor(tracer: Tracer, name: string, options: SpanOptions, parent: Context, minDuration: number) {
    this.#begin = () => tracer.startSpan(name, { ...options, startTime: this.#startTime }, parent)
    this.#minDuration = minDuration
  }

  get #begun(): Span {
    this.#span ??= this.#begin()
    return this.#span
  }

  end(): void {
    if (this.#span || Date.now() - this.#startTime >= this.#minDuration) this.#begun.end()
  }

  isRecording(): boolean {
    return this.#span?.isRecording() ?? true
  }

  spanContext() {
    return this.#begun.spanContext()
  }

  setAttribute(...args: Parameters<Span['setAttribute']>): this {
    this.#begun.setAttribute(...args)
    return this
  }

  setAttributes(...args: Parameters<Span['setAttributes']>): this {
    this.#begun.setAttributes(...args)
    return this
  }

  addEvent(...args: Parameters<Span['addEvent']>): this {
    this.#begun.addEvent(...args)
    return this
  }

  addLink(...args: Parameters<Span['addLink']>): this {
    this.#begun.addLink(...args)
    return this
  }

  addLinks(...args: Parameters<Span['addLinks']>): this {
    this.#begun.addLinks(...args)
    return this
  }

  setStatus(...args: Parameters<Span['setStatus']>): this {
    this.#begun.setStatus(...args)
    return this
  }

  updateName(...args: Parameters<Span['updateName']>): this {
    this.#begun.updateName(...args)
    return this
  }

  recordException(...args: Parameters<Span['recordException']>): void {
    this.#begun.recordException(...args)
  }
}
