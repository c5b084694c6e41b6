/** Devour has no types. */
declare module 'devour-client' {
  // biome-ignore lint/suspicious/noExplicitAny: only its models have types
  type Answer = Promise<any>

  interface Options {
    readonly apiUrl: string
    readonly logger: boolean
    readonly errorBuilder: (error: { source?: { pointer: string } }) => unknown
  }

  export default class JsonApi {
    constructor(options: Options)
    define(model: string, attributes: object): void
    findAll(model: string, params?: object): Answer
    find(model: string, id: string, params?: object): Answer
    create(model: string, payload: object, params?: object): Answer
    update(model: string, payload: object): Answer
    request(url: string): Answer
    one(model: string, id: string): this
    all(model: string): this
    relationships(name?: string): this
    get(): Answer
    post(payload: readonly object[]): Answer
    patch(payload: readonly object[]): Answer
    destroy(payload: readonly object[]): Answer
    destroy(model: string, id: string): Answer
  }
}
