import { STATUS_CODES } from 'node:http'
import { type ErrorDefinition, fillTemplate } from '#kernel/errors'

/** The document of the first error that is defined with the status, else of the first error. */
export function errorExample(status: number, errors: readonly ErrorDefinition[]): object {
  const error = errors.find((definition) => definition.status === status) ?? errors[0]
  return { jsonapi: { version: '1.1' }, errors: [error ? errorObject(status, error) : uncoded(status)] }
}

function errorObject(status: number, { code, title, detail, documentation }: ErrorDefinition): object {
  const { example, source } = documentation ?? {}
  return {
    status: String(status),
    code,
    title,
    ...((example || !detail.includes('{')) && { detail: fillTemplate(detail, example ?? {}) }),
    ...(source && { source }),
  }
}

function uncoded(status: number): object {
  return { status: String(status), title: STATUS_CODES[status] ?? 'Error' }
}
