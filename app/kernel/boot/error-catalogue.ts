import type { Plugin } from '../contract/plugin.ts'
import * as core from '../errors/core-errors.ts'
import { ApiError, type ErrorDefinition, type ErrorObject } from '../errors/errors.ts'
import type { Registry, ResourceType } from '../schema/resource-type.ts'

/** All errors with a code: those of the kernel, then those of the HTTP server, of the plugins and of the resource types. */
export function errorCatalogue(
  sources: readonly Pick<Plugin, 'errors'>[],
  registry?: Registry,
): readonly ErrorDefinition[] {
  const ofKernel = Object.values(core).map(({ definition }) => definition)
  const ofTypes = [...(registry?.types.values() ?? [])].flatMap(errorsOfType)
  return [...new Set([...ofKernel, ...sources.flatMap(({ errors = [] }) => errors), ...ofTypes])]
}

/** Reports errors of resource types whose code another error has. */
export function checkErrorCodes(registry: Registry, plugins: readonly Pick<Plugin, 'errors'>[]): void {
  const byCode = new Map(errorCatalogue(plugins).map((error) => [error.code, error]))
  for (const type of registry.types.values()) {
    for (const error of errorsOfType(type)) {
      const other = byCode.get(error.code) ?? error
      if (other !== error)
        registry.fail(type, 'errors', `Another error has the code '${error.code}': choose another code.`)
      byCode.set(error.code, other)
    }
  }
}

function errorsOfType({ errors, actions }: ResourceType): ErrorDefinition[] {
  return [...errors, ...actions.flatMap((action) => action.errors)]
}

/** An example of the error object that a client receives. */
export function createErrorExample(definition: ErrorDefinition): ErrorObject {
  const { example = {}, source } = definition.documentation ?? {}
  return new ApiError(definition, example, source ? { source } : {}).toObject()
}
