/** First page of the console: what can be done here, and what the service is. */
import { hashOf } from '../shell/route.ts';

export function StartPage() {
  return (
    <div class="hero">
      <h1>Build a quantum circuit, see its state, run it on a fleet.</h1>
      <p class="lede">
        A service that runs quantum circuits for whoever asks by HTTP. Look at the{' '}
        <a href={hashOf(['demo'])}>demo</a>.
      </p>
    </div>
  );
}
