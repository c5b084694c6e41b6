import type pg from 'pg'

/** Rows that the work items write; they are deleted or reset before every run. */
const firstNewComment = 1_000_001

const tables = `
create table people (id serial primary key, name varchar(120) not null, email varchar(200) not null,
  created_at timestamptz(3) not null);
create table tags (id serial primary key, name varchar(60) not null);
create table articles (id serial primary key, title varchar(200) not null, body text not null,
  views int not null default 0, published_at timestamptz(3) not null,
  author_id int not null references people on update cascade);
create index on articles (published_at, id);
create index on articles (author_id);
create table comments (id serial primary key, body text not null, created_at timestamptz(3) not null,
  article_id int not null references articles on update cascade,
  author_id int not null references people on update cascade);
create index on comments (article_id);
create index on comments (author_id);
create table article_tags (article_id int not null references articles on update cascade on delete cascade,
  tag_id int not null references tags on update cascade on delete cascade, primary key (article_id, tag_id));
create index on article_tags (tag_id);`

const words = `substr(repeat(md5(n::text) || ' lorem ipsum dolor sit amet, ', 10), 1, 500)`

const rows = `
insert into people (name, email, created_at)
  select 'Person ' || n, 'person' || n || '@example.com', timestamptz '2020-01-01Z' + n * interval '1 hour'
  from generate_series(1, 1000) n;
insert into tags (name) select 'tag ' || n from generate_series(1, 100) n;
insert into articles (title, body, views, published_at, author_id)
  select 'Article ' || n, ${words}, n % 977, timestamptz '2021-01-01Z' + n * interval '7 minutes', n % 1000 + 1
  from generate_series(1, 10000) n;
insert into comments (body, created_at, article_id, author_id)
  select 'Comment ' || n || ' ' || md5(n::text), timestamptz '2022-01-01Z' + n * interval '1 minute', n % 10000 + 1, n % 1000 + 1
  from generate_series(1, 50000) n;
insert into article_tags (article_id, tag_id)
  select a, (a * 7 + k * 13) % 100 + 1 from generate_series(1, 9000) a, generate_series(1, 3) k;
select setval('comments_id_seq', ${firstNewComment - 1});`

/** Creates the tables of the blog with 10,000 articles of 500 characters and 50,000 comments. */
export async function seedBlog(database: pg.Client): Promise<void> {
  await database.query(tables)
  await database.query(rows)
}

/** Deletes what the work items have added. */
export async function restoreBlog(database: pg.Client): Promise<void> {
  await database.query('delete from comments where id >= $1', [firstNewComment])
  await database.query('delete from article_tags where article_id > 9000')
  await database.query('vacuum comments, articles, article_tags')
}
