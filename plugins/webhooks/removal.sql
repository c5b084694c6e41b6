drop table webhook_subscriptions;
drop function webhook_subscriptions_begin();
drop function webhook_subscriptions_end();
delete from migrations where name = 'webhooks/20260301000001_webhooks';
