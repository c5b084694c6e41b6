import type { ResourceType } from '#kernel/plugin'

// biome-ignore lint/suspicious/noExplicitAny: the constructor of an error may take any arguments
type ErrorClass = abstract new (...args: any[]) => Error

/** Error classes that clients may see, each with its HTTP status. */
export type Exceptions = readonly (readonly [type: ErrorClass, status: number])[]

/** Finds the status of an error by its class. The most derived class wins. */
export class ExceptionMap {
  readonly #statuses: ReadonlyMap<unknown, number>

  /** The last entry of a class wins. */
  constructor(exceptions: Exceptions) {
    this.#statuses = new Map(exceptions)
  }

  findStatus(error: Error): number | undefined {
    let prototype: unknown = Object.getPrototypeOf(error)
    while (prototype) {
      const status = this.#statuses.get((prototype as object).constructor)
      if (status !== undefined) return status
      prototype = Object.getPrototypeOf(prototype)
    }
    return undefined
  }
}

/** Returns the faults in the `exceptions` of a type, for the boot error. */
export function exceptionFaults({ declaration }: ResourceType): string[] {
  return (declaration.exceptions ?? []).flatMap(([type, status]) => {
    const isError = typeof type === 'function' && (type === Error || type.prototype instanceof Error)
    if (!isError) return ['An exception is a pair of an error class and a status: [[PlaylistNotEmptyError, 409]].']
    return status >= 400 && status <= 599 ? [] : [`${type.name} has the status ${status}; accepted are 400 to 599.`]
  })
}
