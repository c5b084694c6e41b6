import type { Plugin } from '../contract/plugin.ts'
import * as core from '../errors/core-errors.ts'
import { ApiError, type ErrorDefinition, type ErrorObject } from '../errors/errors.ts'

/** All errors with a code: those of the kernel, then those of the HTTP server and of the plugins. */
export function errorCatalogue(sources: readonly Pick<Plugin, 'errors'>[]): readonly ErrorDefinition[] {
  const ofKernel = Object.values(core).map(({ definition }) => definition)
  return [...ofKernel, ...sources.flatMap(({ errors = [] }) => errors)]
}

/** An example of the error object that a client receives. */
export function createErrorExample(definition: ErrorDefinition): ErrorObject {
  const { example = {}, source } = definition.documentation ?? {}
  return new ApiError(definition, example, source ? { source } : {}).toObject()
}
