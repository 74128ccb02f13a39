import { Link } from '@tanstack/react-router';
import { buttonClass } from '../parts/button.tsx';
import { Empty } from '../parts/layout.tsx';
import { say } from '../words/words.ts';

export function NotFound() {
  return (
    <Empty icon="circle-slash" title={say('notFound.title')} text={say('notFound.text')}>
      <Link to="/sources" className={buttonClass()}>
        {say('notFound.action')}
      </Link>
    </Empty>
  );
}
