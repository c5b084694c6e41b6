import { expect } from 'chai'
import { defineError, defineType, type Links } from '#kernel'
import { BootError, type Logger } from '#kernel/plugin'
import { memoryStore } from '#memory'
import { buildApp } from '#test/support/app.ts'
import { declared, inLibrary } from '#test/template/specification/library-app.ts'

interface Note {
  id: string
  site: string
}

const described: Links = {
  docs: {
    href: 'https://example.com/docs',
    rel: 'help',
    title: 'The documentation',
    type: 'text/html',
    hreflang: ['en', 'de-AT'],
    describedby: { href: '/schema.json', type: 'application/schema+json' },
    meta: { pages: 3 },
  },
  describedby: 'https://example.com/notes.schema.json',
  parent: null,
}

describe('Links that a type declares', () => {
  it('DOC-33 DOC-34 are URLs, link objects or null, as a constant and from a function', async () => {
    for (const links of [described, () => described]) {
      await inLibrary({ resources: declared(notes(links)) }, async ({ client }) => {
        const { body } = await client.get('/notes/1')
        expect(body.data.links).to.deep.equal({ self: `${client.url}/notes/1`, ...described })
      })
    }
  })

  it('DOC-33 are left out and logged once when a function returns what is not a link', async () => {
    const { logger, messages } = recordingLogger()
    const resources = declared(notes(({ site }) => ({ site, docs: 'https://example.com' })))
    await inLibrary({ resources, logger }, async ({ client }) => {
      for (const path of ['/notes', '/notes']) {
        const { status, body } = await client.get(path)
        expect(status).to.equal(200)
        expect(body.data.map(({ links }: { links: object }) => Object.keys(links))).to.deep.equal([
          ['self', 'site', 'docs'],
          ['self', 'docs'],
        ])
      }
    })
    expect(messages.filter((message) => message.includes("link 'site'"))).to.have.length(1)
  })

  const faults: Readonly<Record<string, unknown>> = {
    'is not a URI reference': 'no url',
    "has no 'href'": { title: 'Docs' },
    "has a member 'herf' that link objects do not have": { href: '/', herf: '/' },
    "has an invalid 'rel'": { href: '/', rel: 'two words' },
    "has an invalid 'title'": { href: '/', title: 1 },
    "has an invalid 'type'": { href: '/', type: 'html' },
    "has an invalid 'hreflang'": { href: '/', hreflang: ['en', 'not a tag'] },
    "has an invalid 'meta'": { href: '/', meta: [] },
    "has an invalid 'describedby'": { href: '/', describedby: { href: 'no url' } },
    'is not a URI reference, a link object or null': 7,
  }
  for (const [fault, link] of Object.entries(faults)) {
    it(`fail the boot when a constant ${fault}`, async () => {
      const error = await buildApp({ resources: declared(notes({ docs: link } as Links)) }).catch((error) => error)
      expect(error).to.be.instanceOf(BootError)
      expect(error.message).to.include(`notes.links (test/template/specification): The link 'docs' ${fault}`)
    })
  }
})

describe('Links of an error', () => {
  const noteLocked = defineError('NOTE_LOCKED', 409, 'Note is locked', 'The note is locked.')

  it('DOC-33 are link objects, and left out when they are not links', async () => {
    const about: Links = { about: { href: '/help', title: 'Help' }, type: 'no url' }
    const fail = () => {
      throw noteLocked({}, { links: about })
    }
    await inLibrary({ resources: declared(notes(fail)) }, async ({ client }) => {
      const { status, body } = await client.get('/notes/1')
      expect(status).to.equal(409)
      expect(body.errors[0].links).to.deep.equal({ about: { href: '/help', title: 'Help' } })
    })
  })
})

const rows = [
  { id: '1', site: 'https://example.com/?page[size]=1#top' },
  { id: '2', site: 'sent by a client' },
]

function notes(links: Links | ((note: Note) => Links)) {
  return defineType<Note>({
    type: 'notes',
    fields: ({ id, string }) => [id(), string('site')],
    links,
    ...memoryStore(rows),
    operations: ['FetchCollection', 'FetchOne'],
  })
}

function recordingLogger(): { readonly logger: Logger; readonly messages: string[] } {
  const messages: string[] = []
  const log = (_: object, message: string) => void messages.push(message)
  return { logger: { error: log, info: log, warn: log }, messages }
}
