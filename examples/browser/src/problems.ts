import { JsonApiError } from '../../../clients/typescript/src/index.ts'
import { find } from './elements.ts'

/** Shows an error in a form: validation errors at their fields, others above the fields. */
export function showProblem(form: HTMLFormElement, error: unknown): void {
  const errors = error instanceof JsonApiError ? error.errors : []
  const other: string[] = errors.length === 0 ? [describeError(error)] : []
  for (const { detail = '', source } of errors) {
    const name = source?.pointer?.match(/^\/data\/(?:attributes|relationships)\/([^/]+)/)?.[1] ?? ''
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) markInvalid(field, detail)
    else other.push(detail)
  }
  find('.problem', HTMLElement, form).textContent = other.join(' ')
}

/** Removes the messages of the last attempt. */
export function clearProblems(form: HTMLFormElement): void {
  find('.problem', HTMLElement, form).textContent = ''
  for (const message of form.querySelectorAll('.field-problem')) message.remove()
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
}

/** The text of an error for the user. */
export function describeError(error: unknown): string {
  if (error instanceof JsonApiError) return error.errors[0]?.detail ?? error.message
  return 'The server did not answer. Check the connection and try again.'
}

/** Adds the message to the label of the field, so that a screen reader reads both. */
function markInvalid(field: HTMLInputElement | HTMLSelectElement, detail: string): void {
  const message = document.createElement('span')
  message.className = 'field-problem'
  message.textContent = detail
  field.setAttribute('aria-invalid', 'true')
  field.after(message)
  field.focus()
}
