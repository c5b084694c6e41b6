import { AssertionError } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import type { App } from '#kernel/plugin'
import type { Client, ClientResponse } from '#test/support/client.ts'
import type { Conformance } from '#test/support/conformance.ts'
import { as } from '#test/support/principals.ts'
import type { AppUnderTest } from './app-under-test.ts'

/** A broken rule, with the request that shows it. */
export interface Fault {
  readonly type: string
  readonly rule: string
  /** The request: `GET /albums?include=tracks`. */
  readonly url: string
  readonly message: string
}

export interface RequestOptions {
  readonly method?: string
  /** A development token; null is anonymous. */
  readonly principal: string | null
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Sends requests to the application, and counts the rules that hold. */
export class Prover {
  readonly faults: Fault[] = []
  /** The types whose rules about rows have nothing to check, with the reason. */
  readonly unchecked: { readonly url: string; readonly reason: string }[] = []
  readonly counts = new Map<string, number>()
  readonly app: App
  readonly principals: readonly (string | null)[]
  readonly #client: Client
  readonly #conforms: Conformance
  #type = ''

  constructor({ app, client, conforms, principals = [null, ...Object.keys(developmentTokens)] }: AppUnderTest) {
    this.app = app
    this.principals = principals
    this.#client = client
    this.#conforms = conforms
  }

  get url(): string {
    return this.#client.url
  }

  /** Starts the checks of this type. */
  startType(type: string): void {
    this.#type = type
    this.counts.set(type, this.counts.get(type) ?? 0)
  }

  leaveUnchecked(url: string, reason: string): void {
    this.unchecked.push({ url, reason })
  }

  /** Checks each response against JSON:API and the application's OpenAPI document; returns null if a check fails. */
  async send(
    path: string,
    { method = 'GET', principal, headers = {}, body }: RequestOptions,
  ): Promise<ClientResponse | null> {
    try {
      const sent = { ...(principal === null ? {} : as(principal)), ...headers }
      const response = await this.#client.send(method, path, { headers: sent, ...(body !== undefined && { body }) })
      this.check(response.status < 500, 'no response has a 5xx status', `${method} ${path}`, `${response.status}`)
      this.#checkConformance(method, path, response)
      return response
    } catch (error) {
      this.#recordFailure(error, `${method} ${path}`)
      return null
    }
  }

  #checkConformance(method: string, path: string, { status, headers, body, text }: ClientResponse): void {
    const contentType = headers.get('content-type') ?? ''
    if (body === null && status !== 204) return
    try {
      this.#conforms({ method, path: path.replace(this.url, ''), status, contentType, body: body && JSON.parse(text) })
    } catch (error) {
      this.#recordFailure(error, `${method} ${path}`)
    }
  }

  #recordFailure(error: unknown, url: string): void {
    if (!(error instanceof AssertionError)) throw error
    this.check(false, brokenRule(error.message), url, error.message)
  }

  check(holds: boolean, rule: string, url: string, message: string): void {
    if (holds) this.counts.set(this.#type, (this.counts.get(this.#type) ?? 0) + 1)
    else this.#fail(rule, url.replace(this.url, ''), message)
  }

  /** Records a fault once when several principals cause it. */
  #fail(rule: string, url: string, message: string): void {
    if (this.faults.some((fault) => fault.rule === rule && fault.url === url)) return
    this.faults.push({ type: this.#type, rule, url, message: message.slice(0, 500) })
  }

  /** Checks that the response has one of these statuses. */
  async expect(
    statuses: readonly number[],
    rule: string,
    path: string,
    options: RequestOptions,
  ): Promise<ClientResponse | null> {
    const response = await this.send(path, options)
    const url = `${options.method ?? 'GET'} ${path}`
    if (response)
      this.check(
        statuses.includes(response.status),
        rule,
        url,
        `${response.status} instead of ${statuses.join(' or ')}`,
      )
    return response
  }
}

function brokenRule(message: string): string {
  if (message.startsWith('The document does not describe')) return 'responses conform to the OpenAPI document'
  if (message.startsWith('every resource once')) return 'no resource is repeated in a document'
  return 'documents have the structure of JSON:API'
}
