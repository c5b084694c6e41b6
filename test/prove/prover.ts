import { AssertionError } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import type { App } from '#kernel/plugin'
import type { Answer, Client } from '#test/support/client.ts'
import type { Conformance } from '#test/support/conformance.ts'
import { as } from '#test/support/principals.ts'
import type { Subject } from './subject.ts'

/** A rule that does not hold, and where. */
export interface Fault {
  readonly type: string
  readonly rule: string
  /** The request: `GET /albums?include=tracks`. */
  readonly url: string
  readonly message: string
}

export interface Question {
  readonly method?: string
  /** A token of development; null is anonymous. */
  readonly who: string | null
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Asks the application, and counts what holds. */
export class Prover {
  readonly faults: Fault[] = []
  readonly counts = new Map<string, number>()
  readonly app: App
  readonly principals: readonly (string | null)[]
  readonly #client: Client
  readonly #conforms: Conformance
  #type = ''

  constructor({ app, client, conforms, principals = [null, ...Object.keys(developmentTokens)] }: Subject) {
    this.app = app
    this.principals = principals
    this.#client = client
    this.#conforms = conforms
  }

  get url(): string {
    return this.#client.url
  }

  /** What follows is about this type. */
  begin(type: string): void {
    this.#type = type
    this.counts.set(type, this.counts.get(type) ?? 0)
  }

  /** Every answer keeps the rules of JSON:API and the application's own document; null when it does not. */
  async ask(path: string, { method = 'GET', who, headers = {}, body }: Question): Promise<Answer | null> {
    try {
      const sent = { ...(who === null ? {} : as(who)), ...headers }
      const answer = await this.#client.send(method, path, { headers: sent, ...(body !== undefined && { body }) })
      this.hold(answer.status < 500, 'no request is answered by a 5xx', `${method} ${path}`, `${answer.status}`)
      this.#holdAgainstDocument(method, path, answer)
      return answer
    } catch (error) {
      this.#note(error, `${method} ${path}`)
      return null
    }
  }

  #holdAgainstDocument(method: string, path: string, { status, headers, body, text }: Answer): void {
    const contentType = headers.get('content-type') ?? ''
    if (body === null && status !== 204) return
    try {
      this.#conforms({ method, path: path.replace(this.url, ''), status, contentType, body: body && JSON.parse(text) })
    } catch (error) {
      this.#note(error, `${method} ${path}`)
    }
  }

  #note(error: unknown, url: string): void {
    if (!(error instanceof AssertionError)) throw error
    this.hold(false, ruleOf(error.message), url, error.message)
  }

  hold(holds: boolean, rule: string, url: string, message: string): void {
    if (holds) this.counts.set(this.#type, (this.counts.get(this.#type) ?? 0) + 1)
    else this.#fail(rule, url.replace(this.url, ''), message)
  }

  /** What is asked by several is told once. */
  #fail(rule: string, url: string, message: string): void {
    if (this.faults.some((fault) => fault.rule === rule && fault.url === url)) return
    this.faults.push({ type: this.#type, rule, url, message: message.slice(0, 500) })
  }

  /** The answer has this status, or one of these. */
  async expect(statuses: readonly number[], rule: string, path: string, question: Question): Promise<Answer | null> {
    const answer = await this.ask(path, question)
    const url = `${question.method ?? 'GET'} ${path}`
    if (answer)
      this.hold(statuses.includes(answer.status), rule, url, `${answer.status} instead of ${statuses.join(' or ')}`)
    return answer
  }
}

function ruleOf(message: string): string {
  if (message.startsWith('The document does not describe')) return 'answers are as the OpenAPI document says'
  if (message.startsWith('every resource once')) return 'no resource stands twice in a document'
  return 'documents have the structure of JSON:API'
}
