import type { Page } from '../../../clients/typescript/src/index.ts'
import { type Album, api } from './api.ts'
import { announce, create, find } from './elements.ts'
import { messageOf } from './problems.ts'

const sorts = ['-releasedAt', 'releasedAt', 'title'] as const
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

export interface AlbumList {
  /** Requests the first page of the current filter. */
  load(): Promise<void>
}

/** Lists albums by the form `#query`, page by page. A change of the form aborts the request before it. */
export function createAlbumList(onEdit: (id: string) => void): AlbumList {
  const form = find('#query', HTMLFormElement)
  const previous = find('#previous', HTMLButtonElement)
  const next = find('#next', HTMLButtonElement)
  /** The pages up to the shown one. */
  let pages: Page<Album>[] = []
  let aborter = new AbortController()

  async function show(request: () => Promise<readonly Page<Album>[]>): Promise<void> {
    try {
      pages = [...(await request())]
    } catch (error) {
      if (!aborter.signal.aborted) announce(messageOf(error))
      return
    }
    render(pages.at(-1)?.data ?? [], pages.length)
    previous.disabled = pages.length < 2
    next.disabled = !pages.at(-1)?.links.next
  }

  async function load(): Promise<void> {
    aborter.abort()
    aborter = new AbortController()
    const { signal } = aborter
    const query = toQuery(new FormData(form))
    const request = api.albums.list({ ...query, include: ['artist'], fields: { artists: ['name'] }, signal })
    await show(async () => [await request])
  }

  form.addEventListener('input', load)
  form.addEventListener('submit', (event) => event.preventDefault())
  next.addEventListener('click', () =>
    show(async () => {
      const page = await pages.at(-1)?.next()
      return page ? [...pages, page] : pages
    }),
  )
  previous.addEventListener('click', () => show(async () => pages.slice(0, -1)))
  find('#albums', HTMLElement).addEventListener('click', ({ target }) => {
    const { id } = target instanceof HTMLButtonElement ? target.dataset : {}
    if (id) onEdit(id)
  })
  return { load }
}

function toQuery(data: FormData) {
  const title = String(data.get('title'))
  const artist = String(data.get('artist'))
  return {
    filter: { ...(title && { title }), ...(artist && { 'artist.name': artist }) },
    sort: sorts.find((name) => name === data.get('sort')) ?? sorts[0],
    page: { size: Number(data.get('size')) },
  }
}

function render(albums: readonly Album[], pageNumber: number): void {
  find('#albums', HTMLElement).replaceChildren(...albums.map(toItem))
  find('#page-number', HTMLElement).textContent = `Page ${pageNumber}`
  announce(albums.length === 0 ? 'No album matches.' : '')
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
