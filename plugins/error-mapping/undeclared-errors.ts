import type { ApiError } from '#kernel/errors'
import { type App, getOrCreate } from '#kernel/plugin'

/** Logs codes that are not in the catalogue of the application, each once. */
export class UndeclaredErrors {
  readonly #codes = new WeakMap<App, { readonly declared: ReadonlySet<string>; readonly logged: Set<string> }>()

  report(app: App, errors: readonly ApiError[]): void {
    const { declared, logged } = getOrCreate(this.#codes, app, () => {
      return { declared: new Set(app.errors.map(({ code }) => code)), logged: new Set<string>() }
    })
    for (const { definition } of errors) {
      const { code } = definition
      if (declared.has(code) || logged.has(code) || logged.size === maxCodes) continue
      logged.add(code)
      app.logger?.warn({ code }, `${code} is not declared: ${advice}`)
    }
  }
}

/** A program that computes codes must not fill the memory. */
const maxCodes = 1000

const advice =
  'add it to errors of the resource, action or policy that throws it; /errors, the OpenAPI document and typed clients do not know it'
