import { atomicBatch, firstPageAfter, numbers, patch, post, read, type WorkItem, write } from '../work-items.ts'

const articles = numbers(5001, 5040)
const twentyTags = numbers(1, 20).map((id) => ({ type: 'tags', id: String(id) }))

export const createComments = articles.map((id) => post('/comments', { data: comment(id) }))

/** Many titles of many rows: connections that send them at once seldom repeat a title that a row has already, or wait for its row. */
export const patchTitles = numbers(1, 10).flatMap((edition) =>
  numbers(5001, 5400).map((id) =>
    patch(`/articles/${id}`, { type: 'articles', id: String(id), attributes: { title: `Article ${id}, ${edition}` } }),
  ),
)

export const blogItems: readonly WorkItem[] = [
  read('one article', 0.95, ...articles.map((id) => `/articles/${id}`)),
  read('50 articles', 0.95, '/articles?page[size]=50'),
  read('50 articles with include', 0.95, '/articles?page[size]=50&include=author,comments,tags'),
  read('sparse and sorted', 0.95, '/articles?fields[articles]=title,publishedAt&sort=-publishedAt&page[size]=50'),
  read('related page', 0.95, ...articles.map((id) => `/articles/${id}/comments?page[size]=10`)),
  read('page 190 by number', 0.95, '/articles?page[number]=190&page[size]=50'),
  {
    name: 'page by cursor',
    goal: 0.95,
    reads: true,
    requests: async (service) => [await firstPageAfter(service, '/comments?page[size]=50', 8)],
  },
  write('create comment', 0.9, ...createComments),
  write('patch title', 0.8, ...patchTitles),
  write(
    'add 20 members',
    0.9,
    ...numbers(9001, 9400).map((id) => post(`/articles/${id}/relationships/tags`, { data: twentyTags })),
  ),
  write('batch of 20 creates', 1, atomicBatch(articles.slice(0, 20).map((id) => ({ op: 'add', data: comment(id) })))),
]

function comment(articleId: number) {
  return {
    type: 'comments',
    attributes: { body: 'A comment of the benchmark', createdAt: '2026-01-01T00:00:00Z' },
    relationships: {
      article: { data: { type: 'articles', id: String(articleId) } },
      author: { data: { type: 'people', id: '7' } },
    },
  }
}
