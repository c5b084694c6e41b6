import { type Album, api } from './api.ts'
import { announce, create, find } from './elements.ts'
import { describeError } from './problems.ts'

const sorts = ['-releasedAt', 'releasedAt', 'title'] as const
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

export interface AlbumList {
  /** Requests the shown page again. */
  reload(): Promise<void>
}

/** Lists albums by the form `#query`, page by page. A request aborts the one before it. */
export function createAlbumList(onEdit: (id: string) => void): AlbumList {
  const form = find('#query', HTMLFormElement)
  const list = find('#albums', HTMLElement)
  const previous = find('#previous', HTMLButtonElement)
  const next = find('#next', HTMLButtonElement)
  let shownPage = 1
  let aborter = new AbortController()

  async function load(number: number): Promise<void> {
    aborter.abort()
    aborter = new AbortController()
    const { signal } = aborter
    const query = toQuery(new FormData(form), number)
    try {
      const { data, links } = await api.albums.list({
        ...query,
        include: ['artist'],
        fields: { artists: ['name'] },
        signal,
      })
      shownPage = number
      render(list, data)
      previous.disabled = number === 1
      next.disabled = !links.next
      find('#page-number', HTMLElement).textContent = `Page ${number}`
      announce(data.length === 0 ? 'No album matches.' : '')
    } catch (error) {
      if (!signal.aborted) announce(describeError(error))
    }
  }

  form.addEventListener('input', () => load(1))
  form.addEventListener('submit', (event) => event.preventDefault())
  previous.addEventListener('click', () => load(shownPage - 1))
  next.addEventListener('click', () => load(shownPage + 1))
  list.addEventListener('click', ({ target }) => {
    const { id } = target instanceof HTMLButtonElement ? target.dataset : {}
    if (id) onEdit(id)
  })
  return { reload: () => load(shownPage) }
}

function toQuery(data: FormData, number: number) {
  const title = String(data.get('title'))
  const artist = String(data.get('artist'))
  return {
    filter: { ...(title && { title }), ...(artist && { 'artist.name': artist }) },
    sort: sorts.find((name) => name === data.get('sort')) ?? sorts[0],
    page: { number, size: Number(data.get('size')) },
  }
}

/** Replaces the items. The button that has the focus keeps it. */
function render(list: HTMLElement, albums: readonly Album[]): void {
  const { activeElement } = document
  const focusedId = activeElement instanceof HTMLButtonElement ? activeElement.dataset.id : undefined
  list.replaceChildren(...albums.map(toItem))
  if (focusedId) list.querySelector<HTMLElement>(`[data-id="${focusedId}"]`)?.focus()
}

function toItem({ id, title, artist, releasedAt, status, averageRating }: Album): HTMLElement {
  const edit = create('button', { type: 'button', ariaLabel: `Edit ${title}` }, 'Edit')
  edit.dataset.id = id
  return create(
    'li',
    {},
    create('strong', {}, title),
    create('span', {}, artist?.name ?? 'Unknown artist'),
    create('span', {}, releasedAt ? dates.format(new Date(releasedAt)) : 'No release date'),
    create('span', { className: status }, status),
    create('span', {}, averageRating === null ? 'Not rated' : `Rating ${averageRating}`),
    edit,
  )
}
