// Errors, imported as '#kernel/errors': definitions, those of the kernel, their texts, and the collector of faults.

export { createErrorExample } from './boot/error-catalogue.ts'
export { bootWarnings } from './compile/plugin-checks.ts'
export { relationshipMissing } from './contract/missing-relationship.ts'
export { acceptedForms } from './errors/accepted-forms.ts'
export { acceptedNames, didYouMean } from './errors/accepted-names.ts'
export * from './errors/core-errors.ts'
export { definitionsOf, errorsForm } from './errors/declared-errors.ts'
export {
  type ErrorContext,
  type ErrorValue,
  fillTemplate,
  isNameList,
  listNames,
  type Phrase,
  phrase,
  shorten,
  shortenEchoes,
  verbatim,
} from './errors/error-text.ts'
export {
  ApiError,
  chooseStatus,
  defineError,
  describeTruncation,
  type ErrorDefinition,
  type ErrorFactory,
  type ErrorObject,
  type ErrorOptions,
  type ErrorSource,
  type ErrorTexts,
  toApiErrors,
} from './errors/errors.ts'
export { Faults } from './errors/faults.ts'
export { argumentFaults, formFaults, formText } from './errors/form-faults.ts'
export { StatementError } from './errors/statement-error.ts'
