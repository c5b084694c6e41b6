import { requestBodyInvalidJsonApi } from '#kernel/errors'
import type { OpenApiDraft } from '#openapi'
import { isEnabled } from './environment.ts'
import { responseBodyInvalidJson, responseBodyInvalidJsonApi } from './errors.ts'

/** Adds the errors of the checks that are enabled. */
export function describeSchemaValidation({ app, operations }: OpenApiDraft): void {
  for (const operation of operations) {
    if (operation.body && isEnabled(app, 'requests')) operation.addErrors(400, requestBodyInvalidJsonApi.definition)
    if (isEnabled(app, 'responses')) {
      operation.addErrors(500, responseBodyInvalidJson.definition, responseBodyInvalidJsonApi.definition)
    }
  }
}
