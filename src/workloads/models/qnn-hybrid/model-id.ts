/** Id of the classifier in requests. */
export const QNN_HYBRID_ID = 'qnn-hybrid';
