import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { data } from '#plugins/actions/index.ts'
import { AcceptedForProcessing, accepted, defineJob, enqueue } from '#plugins/async-writes/index.ts'
import { open } from '#plugins/authorization/index.ts'
import { created } from '#plugins/responses/index.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { Loan } from '#test/template/support/library/loans.ts'

// Types with every kind of relation, on both write paths, with an action and a job.

export const loanJob = 'confirm-loan'

/** Confirms a loan. A second run would be visible in the row. */
const confirmLoan = defineJob<{ id: number }>(loanJob, async ({ id }, { finish }) => {
  await finish(async ({ em }) => {
    const loan = await em.findOneOrFail(Loan, id)
    loan.reader += ' (confirmed)'
    await em.flush()
  })
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').required(),
    hasMany('books', 'books').withoutPagination().countable(),
    hasOne('label', 'labels'),
  ],
  actions: ({ action }) => [
    action('rename', {
      answers: 'data',
      handle({ subject }: { subject: Shelf }) {
        subject.name = `${subject.name} (renamed)`
        return data(subject)
      },
    }),
  ],
  policy: open,
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, belongsTo, belongsToMany }) => [
    id(),
    string('title').required().sortable(),
    integer('position'),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags').withoutPagination(),
  ],
  policy: open,
})

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string, belongsToMany }) => [
    id().allowClientId(),
    string('name').required(),
    belongsToMany('books', 'books'),
  ],
  policy: open,
})

/** Its hook needs the entity: rows are written as entities. */
const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
  beforeSave(label) {
    label.text = label.text.trim()
  },
  policy: open,
})

const lists = defineResource(ReadingList, {
  type: 'lists',
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name').required(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer }) => [integer('place')])
      .withoutPagination(),
  ],
  policy: open,
})

const boxes = defineResource(Box, {
  type: 'boxes',
  fields: ({ id, string, morphToMany }) => [
    id(),
    string('name'),
    morphToMany('contents', ['books', 'labels']).throughProperty('thing'),
  ],
  policy: open,
})

const loans = defineResource(Loan, {
  type: 'loans',
  fields: ({ id, string, belongsTo }) => [id(), string('reader').required(), belongsTo('book', 'books')],
  create: [created(), accepted('loans')],
  job: confirmLoan,
  async accept({ id }, { context }) {
    await enqueue(confirmLoan, { id }, context)
    return AcceptedForProcessing.poll(`/loans/${id}`).withJob({ id }, 'loans')
  },
  policy: open,
})

export const faultResources: readonly DeclaredResource[] = [shelves, books, tags, labels, lists, boxes, loans].map(
  (resource) => ({ file: 'test/template/proofs/faults/resources.ts', resource }),
)

/** Rows of every table. */
export const faultRows = `
  truncate shelves, books, tags, book_tags, labels, loans, reading_lists, list_entries, boxes, box_items cascade;
  insert into shelves (id, name) values (1, 'Fiction'), (2, 'Poetry');
  insert into books (id, title, position, shelf_id) values
    (1, 'Emma', 3, 1), (2, 'Persuasion', 2, 1), (3, 'Sanditon', 1, 1), (4, 'Lady Susan', 1, null);
  insert into tags (id, name) values
    ('00000000-0000-4000-8000-00000000000a', 'red'), ('00000000-0000-4000-8000-00000000000b', 'blue');
  insert into book_tags (book_id, tag_id) values (1, '00000000-0000-4000-8000-00000000000a');
  insert into labels (id, text, shelf_id) values (1, 'F', 1), (2, 'P', null);
  insert into loans (id, reader, book_id) values (1, 'Ada', 1);
  insert into reading_lists (id, name) values (1, 'Summer');
  insert into list_entries (id, list_id, book_id, place) values (1, 1, 1, 1), (2, 1, 2, 2);
  insert into boxes (id, name) values (1, 'Box');
  insert into box_items (id, box_id, thing_type, thing_id, position) values (1, 1, 'books', 1, 1);
  select 1`
