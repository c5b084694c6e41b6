import { requestBodyInvalidJsonApi } from '#kernel/plugin'
import type { OpenApiDraft } from '#openapi'
import { covers } from './environment.ts'
import { responseBodyInvalidJson, responseBodyInvalidJsonApi } from './errors.ts'

/** Only where it is on: what a document may be refused for, and that an answer may be withheld. */
export function describeChecks({ app, operations }: OpenApiDraft): void {
  for (const operation of operations) {
    if (operation.body && covers(app, 'requests')) operation.fail(400, requestBodyInvalidJsonApi.definition)
    if (covers(app, 'responses')) {
      operation.fail(500, responseBodyInvalidJson.definition, responseBodyInvalidJsonApi.definition)
    }
  }
}
