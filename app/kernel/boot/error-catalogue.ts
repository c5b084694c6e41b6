import * as core from '../errors/core-errors.ts'
import { ApiError, type ErrorDefinition, type ErrorObject } from '../errors/errors.ts'
import type { Plugin } from '../model/plugin.ts'

/** Every error with a code: those of the kernel, then those of the plugins. */
export function errorCatalogue(plugins: readonly Plugin[]): readonly ErrorDefinition[] {
  const own = Object.values(core).map(({ definition }) => definition)
  return [...own, ...plugins.flatMap((plugin) => plugin.errors ?? [])]
}

/** An error as a client may get to see it. */
export function exampleOf(definition: ErrorDefinition): ErrorObject {
  const { example = {}, source } = definition.documentation ?? {}
  return new ApiError(definition, example, source ? { source } : {}).toObject()
}
