import type { ResourceType } from '#kernel/plugin'

// biome-ignore lint/suspicious/noExplicitAny: an error may be made of anything
type ErrorClass = abstract new (...args: any[]) => Error

/** Classes of errors that are meant for the client, each with its status. */
export type Exceptions = readonly (readonly [type: ErrorClass, status: number])[]

/** The status of an error by its class; of several that fit, the most derived counts. */
export class ExceptionMap {
  readonly #statuses: ReadonlyMap<unknown, number>

  /** Of several statuses for one class the last counts. */
  constructor(exceptions: Exceptions) {
    this.#statuses = new Map(exceptions)
  }

  statusOf(error: Error): number | undefined {
    let prototype: unknown = Object.getPrototypeOf(error)
    while (prototype) {
      const status = this.#statuses.get((prototype as object).constructor)
      if (status !== undefined) return status
      prototype = Object.getPrototypeOf(prototype)
    }
    return undefined
  }
}

/** What is wrong with the exceptions of a type. */
export function faultsIn({ declaration }: ResourceType): string[] {
  return (declaration.exceptions ?? []).flatMap(([type, status]) => {
    const isError = typeof type === 'function' && (type === Error || type.prototype instanceof Error)
    if (!isError) return ['An exception is a class of errors with a status.']
    return status >= 400 && status <= 599
      ? []
      : [`${type.name} has the status ${status}, which is not one of an error.`]
  })
}
