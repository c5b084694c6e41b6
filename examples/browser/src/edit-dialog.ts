import { changedFields, readFields, writeFields } from './album-fields.ts'
import { api } from './api.ts'
import { toChoice } from './choice.ts'
import { announce, find } from './elements.ts'
import { mergeFields } from './merge.ts'
import { clearProblems, showProblem } from './problems.ts'

/** The state of the album that the form is based on. */
type Base = Awaited<ReturnType<typeof read>>

/** Reads the edited attributes and the entity tag. */
function read(id: string) {
  return api.albums.get(id, {
    include: [],
    fields: { albums: ['title', 'status', 'availableFrom', 'explicit'] },
  })
}

/**
 * Edits an album with `If-Match`, so that no change of another user is overwritten. After a 412 the dialog shows the
 * changes of the other user, and the user merges them.
 */
export function createEditDialog(onSaved: () => Promise<void>): { open(id: string): Promise<void> } {
  const dialog = find('#edit', HTMLDialogElement)
  const form = find('form', HTMLFormElement, dialog)
  const button = find('.primary', HTMLButtonElement, dialog)
  const changes = find('.changes', HTMLElement, dialog)
  let base: Base

  async function save(): Promise<void> {
    const { id, $etag: ifMatch } = base
    const changed = changedFields(base, readFields(form))
    // With a key the client retries after a lost response; without one, a second attempt would be a 412.
    const outcome = await api.$attempt(api.albums.update(id, changed, { ifMatch, idempotencyKey: true }))
    if (outcome.ok) {
      dialog.close()
      await onSaved()
      announce(`“${outcome.value.title}” was saved.`)
    } else if (outcome.error.code === 'PRECONDITION_FAILED') {
      await mergeOtherChanges()
    } else {
      showProblem(form, outcome.error)
    }
  }

  /** Shows the fields that the other user has changed. Saves again if there are none to decide. */
  async function mergeOtherChanges(): Promise<void> {
    const theirs = await read(base.id)
    const mine = readFields(form)
    const merge = mergeFields(base, mine, theirs)
    base = theirs
    if (merge.changes.length === 0) return save()
    writeFields(form, merge.merged)
    changes.replaceChildren(...merge.changes.map((change) => toChoice(form, change, mine, theirs)))
    find('.problem', HTMLElement, form).textContent =
      'Not saved: another user has changed the album. Check the changes, then save again.'
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    clearProblems(form)
    button.disabled = true
    await save().catch((error) => showProblem(form, error))
    button.disabled = false
  })
  find('.cancel', HTMLButtonElement, dialog).addEventListener('click', () => dialog.close())

  return {
    async open(id) {
      base = await read(id)
      clearProblems(form)
      changes.replaceChildren()
      writeFields(form, base)
      dialog.showModal()
    },
  }
}
