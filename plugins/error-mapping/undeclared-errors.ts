import type { ApiError } from '#kernel/errors'
import type { App } from '#kernel/plugin'

declare module '#kernel/plugin' {
  interface App {
    /** The codes of the catalogue, and other ones that were logged. */
    errorCodes?: { readonly declared: ReadonlySet<string>; readonly logged: Set<string> }
  }
}

/** Logs codes that are not in the catalogue of the application, each once. */
export function reportUndeclared(app: App, errors: readonly ApiError[]): void {
  app.errorCodes ??= { declared: new Set(app.errors.map(({ code }) => code)), logged: new Set() }
  const { declared, logged } = app.errorCodes
  for (const { definition } of errors) {
    const { code } = definition
    if (declared.has(code) || logged.has(code) || logged.size === maxCodes) continue
    logged.add(code)
    app.logger?.warn({ code }, `${code} is not declared: ${advice}`)
  }
}

/** A program that computes codes must not fill the memory. */
const maxCodes = 1000

const advice =
  'add it to errors of the resource, action or policy that throws it; /errors, the OpenAPI document and typed clients do not list it'
