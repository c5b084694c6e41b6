import { api } from './api.ts'
import { announce, create, find } from './elements.ts'
import { clearProblems, showProblem } from './problems.ts'

/**
 * Creates an album. Every attempt with the same input has the same idempotency key: those of the client after a lost
 * response, and those of the user after an error. The album is therefore created once.
 */
export function createCreateDialog(onCreated: () => Promise<void>): { open(): Promise<void> } {
  const dialog = find('#create', HTMLDialogElement)
  const form = find('form', HTMLFormElement, dialog)
  const button = find('.primary', HTMLButtonElement, dialog)
  let idempotencyKey = ''
  const renewKey = () => {
    idempotencyKey = crypto.randomUUID()
  }

  form.addEventListener('input', renewKey)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    clearProblems(form)
    button.disabled = true
    const data = new FormData(form)
    const artist = String(data.get('artist'))
    try {
      const { title } = await api.albums.create(
        { title: String(data.get('title')) },
        { relations: { artist: artist ? api.artists.ref(artist) : null }, idempotencyKey },
      )
      dialog.close()
      await onCreated()
      announce(`“${title}” was created.`)
    } catch (error) {
      showProblem(form, error)
    } finally {
      button.disabled = false
    }
  })
  find('.cancel', HTMLButtonElement, dialog).addEventListener('click', () => dialog.close())

  return {
    async open() {
      form.reset()
      clearProblems(form)
      renewKey()
      dialog.showModal()
      await listArtists(find('[name=artist]', HTMLSelectElement, form)).catch((error) => showProblem(form, error))
    },
  }
}

/** Fills the select with all artists, over all pages. */
async function listArtists(select: HTMLSelectElement): Promise<void> {
  const options = [create('option', { value: '' }, 'None')]
  const artists = api.artists.list({ fields: { artists: ['name'] }, sort: 'name' })
  for await (const { id, name } of artists) options.push(create('option', { value: id }, name))
  select.replaceChildren(...options)
}
